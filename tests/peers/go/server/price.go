package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The two statements of parkbench's pricing workload, over its own schema.
const (
	selectProduct  = "select id, name, price_minor from parkbench.products where id = $1"
	selectDiscount = "select percent_hundredths from parkbench.discounts where product_id = $1"
)

// Money in minor units (cents), the discount in hundredths of a percent.
type priced struct {
	Product  int64 `json:"product"`
	Price    int64 `json:"price"`
	Discount int64 `json:"discount"`
	Final    int64 `json:"final_price"`
}

var database *pgxpool.Pool

func connect(dsn string, connections int32) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns, config.MinConns = connections, connections
	if database, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
}

// lookup holds one connection for both statements.
func lookup(ctx context.Context, id int64) (priced, error) {
	found := priced{}
	c, err := database.Acquire(ctx)
	if err != nil {
		return found, err
	}
	defer c.Release()
	var name string
	if err = c.QueryRow(ctx, selectProduct, id).Scan(&found.Product, &name, &found.Price); err != nil {
		return found, err
	}
	if err = c.QueryRow(ctx, selectDiscount, id).Scan(&found.Discount); err != nil {
		return found, err
	}
	found.Final = (found.Price*(10000-found.Discount) + 5000) / 10000 // half a cent is rounded up
	return found, nil
}

// price is the whole route: status, content type, body.
func price(ctx context.Context, text string) (int, string, []byte) {
	id, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 400, plain, []byte("the id is no number")
	}
	if database == nil {
		return 503, plain, []byte("no database")
	}
	found, err := lookup(ctx, int64(id))
	if errors.Is(err, pgx.ErrNoRows) {
		return 404, plain, []byte(notFound)
	}
	if err != nil {
		return 500, plain, []byte(err.Error())
	}
	body, _ := json.Marshal(&found)
	return 200, "application/json", body
}
