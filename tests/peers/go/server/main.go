// The Go peers, net/http and fasthttp, in one program: the same routes as parkbench's own servers, and a downstream for
// the gateway.
//
//	go-server -listen 127.0.0.1:8101 -mode nethttp|fasthttp|downstream [-down http://HOST:PORT] [-dsn DSN -pool N]
package main

import (
	"flag"
	"log"
	"strings"
	"time"
)

const (
	hello        = "Hello, World!"
	slept        = "slept"
	downstreamOK = "downstream ok"
	denied       = "denied"
	notFound     = "Not Found\n"
	plain        = "text/plain; charset=utf-8"
)

var (
	listen = flag.String("listen", "127.0.0.1:8101", "address")
	mode   = flag.String("mode", "nethttp", "nethttp | fasthttp | downstream")
	delay  = flag.Duration("delay", 50*time.Millisecond, "how long the downstream takes, a process of its own or a timer")
	down   = flag.String("down", "", "base URL of the gateway's downstream; empty: a timer instead of a call")
	dsn    = flag.String("dsn", "", "PostgreSQL, for /price; empty: no /price")
	pool   = flag.Int("pool", 10, "connections to PostgreSQL")
)

// inner is the third filter, the rewrite: what the downstream is asked for.
func inner(target string) string {
	rest := strings.TrimPrefix(target, "/gateway")
	if !strings.HasPrefix(rest, "/") {
		return "/" + rest
	}
	return rest
}

func main() {
	flag.Parse()
	if *dsn != "" {
		connect(*dsn, int32(*pool))
	}
	serve := map[string]func(string) error{"nethttp": serveNetHTTP, "fasthttp": serveFastHTTP, "downstream": serveDownstream}[*mode]
	if serve == nil {
		log.Fatalf("unknown mode %q", *mode)
	}
	log.Fatal(serve(*listen))
}
