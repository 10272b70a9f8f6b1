package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

var fastClient = &fasthttp.Client{MaxConnsPerHost: 20000}

func serve(handler fasthttp.RequestHandler, address string) error {
	return (&fasthttp.Server{Handler: handler, Concurrency: 1 << 20}).ListenAndServe(address)
}

func serveFastHTTP(address string) error { return serve(fastHandler, address) }

// serveDownstream answers whatever it is asked for after the delay.
func serveDownstream(address string) error {
	return serve(func(c *fasthttp.RequestCtx) {
		time.Sleep(*delay)
		c.WriteString(downstreamOK)
	}, address)
}

func fastHandler(c *fasthttp.RequestCtx) {
	path := string(c.Path())
	switch {
	case path == "/hello":
		c.WriteString(hello)
	case path == "/sleep":
		time.Sleep(time.Duration(c.QueryArgs().GetUintOrZero("ms")) * time.Millisecond)
		c.WriteString(slept)
	case strings.HasPrefix(path, "/gateway/"):
		fastGateway(c)
	case strings.HasPrefix(path, "/price/"):
		status, kind, body := price(c, path[len("/price/"):])
		c.SetStatusCode(status)
		c.SetContentType(kind)
		c.Write(body)
	default:
		c.Error(notFound, 404)
	}
}

func fastGateway(c *fasthttp.RequestCtx) {
	if len(c.Request.Header.Peek("X-Deny")) > 0 {
		c.Error(denied, 403)
		return
	}
	start := strconv.FormatInt(time.Now().UnixNano(), 10)
	target := inner(string(c.RequestURI()))
	if *down == "" {
		time.Sleep(*delay)
		c.WriteString(downstreamOK)
		return
	}
	req := fasthttp.AcquireRequest()
	resp := fasthttp.AcquireResponse()
	req.SetRequestURI(*down + target)
	req.Header.Set("X-Request-Start", start)
	if err := fastClient.Do(req, resp); err != nil {
		c.Error(err.Error(), 502)
	} else {
		c.SetStatusCode(resp.StatusCode())
		c.SetContentTypeBytes(resp.Header.ContentType())
		c.Write(resp.Body())
	}
	fasthttp.ReleaseRequest(req)
	fasthttp.ReleaseResponse(resp)
}
