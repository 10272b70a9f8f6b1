package main

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// As many idle connections as there can be requests: the default of two per host would reconnect all the time.
var client = &http.Client{Transport: &http.Transport{
	MaxIdleConns: 20000, MaxIdleConnsPerHost: 20000, DisableCompression: true,
	DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
}}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", plain)
	w.WriteHeader(status)
	io.WriteString(w, text)
}

func serveNetHTTP(address string) error {
	m := http.NewServeMux()
	m.HandleFunc("GET /hello", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, hello) })
	m.HandleFunc("GET /sleep", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		time.Sleep(time.Duration(ms) * time.Millisecond)
		answer(w, 200, slept)
	})
	m.HandleFunc("GET /gateway/", gateway)
	m.HandleFunc("GET /price/{id}", func(w http.ResponseWriter, r *http.Request) {
		status, kind, body := price(r.Context(), r.PathValue("id"))
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		w.Write(body)
	})
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { answer(w, 404, notFound) })
	return (&http.Server{Addr: address, Handler: m}).ListenAndServe()
}

// gateway: who may pass, one more header, the path rewritten; then the downstream.
func gateway(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Deny") != "" {
		answer(w, 403, denied)
		return
	}
	r.Header.Set("X-Request-Start", strconv.FormatInt(time.Now().UnixNano(), 10))
	target := inner(r.URL.RequestURI())
	if *down == "" {
		time.Sleep(*delay)
		answer(w, 200, downstreamOK)
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), "GET", *down+target, nil)
	if err != nil {
		answer(w, 400, err.Error())
		return
	}
	req.Header = r.Header
	resp, err := client.Do(req)
	if err != nil {
		answer(w, 502, err.Error())
		return
	}
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.Header().Set("Content-Length", resp.Header.Get("Content-Length"))
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
	resp.Body.Close()
}
