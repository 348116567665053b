package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"time"
)

//go:embed web
var web embed.FS

// pagePolicy allows the page its own files and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// newPage serves the state as a page at "/", as JSON at /api/state, the agent's
// screenshot, the live view and the recording.
func newPage(status *status, live http.Handler, tape *tape) http.Handler {
	// The template and the files are part of the program: a fault in them is a
	// programming error.
	page := template.Must(template.New("page.html").Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.Local().Format("15:04:05") },
	}).ParseFS(web, "web/page.html"))
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		if err := page.Execute(&body, status.read()); err != nil {
			http.Error(w, "The page could not be made.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(body.Bytes())
	})
	mux.Handle(livePath, live)
	tape.routes(mux)
	mux.HandleFunc("GET /api/state", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(status.read())
	})
	mux.HandleFunc("GET "+screenshotPath, func(w http.ResponseWriter, r *http.Request) {
		picture := status.screenshot()
		if picture == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Write(picture)
	})
	for _, file := range []string{"page.css", "page.js"} {
		mux.HandleFunc("GET /"+file, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, file) })
	}
	return guard(mux)
}

// guard refuses requests that reached this loopback address under another
// name: a page elsewhere can point its own name here and would then read along.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "Host not allowed", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
