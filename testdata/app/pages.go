package app

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

//go:embed web
var web embed.FS

// pages are the parsed templates by file name without ".html", each with the
// layout around it. They are read-only after parsePages.
type pages map[string]*template.Template

// parsePages reads the embedded templates. They are part of the program, so a
// broken one is a programming error and panics.
func parsePages() pages {
	funcs := template.FuncMap{"money": money}
	layout := template.Must(template.New("layout.html").Funcs(funcs).ParseFS(web, "web/layout.html"))
	files, err := fs.Glob(web, "web/pages/*.html")
	if err != nil {
		panic(err)
	}
	out := make(pages, len(files))
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f), ".html")
		out[name] = template.Must(template.Must(layout.Clone()).ParseFS(web, f))
	}
	return out
}

// money formats cents as euros.
func money(cents int) string {
	euros := strconv.Itoa(cents / 100)
	for i := len(euros) - 3; i > 0; i -= 3 {
		euros = euros[:i] + "," + euros[i:]
	}
	return fmt.Sprintf("€ %s.%02d", euros, cents%100)
}

// Content policies. Pages get policyStrict unless their entry says otherwise.
const (
	policyStrict = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
		"connect-src 'self'; frame-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
	// policyNone leaves the page to the walls under test: a refusal must come
	// from them and not from the page's own policy.
	policyNone = ""
	// policyFrames lets the two loopback names frame each other.
	policyFrames = "default-src 'self'; frame-src http: data: blob: about:; frame-ancestors http:; object-src 'none'; base-uri 'none'"
	// policyBare is for /strict: nothing but one script file and one style
	// sheet, and no string may become markup or code.
	policyBare = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	policySpeculation = policyStrict + "; script-src-elem 'self' 'inline-speculation-rules'"
)

// view is what every template gets.
type view struct {
	User string // who is signed in, or ""
	Path string // of the request, to mark the current place in the navigation
	Data any
}

// render answers with a page under the strict policy.
func (a *App) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	a.renderUnder(w, r, status, name, policyStrict, data)
}

// renderUnder answers with a page under the given content policy ("" = none).
func (a *App) renderUnder(w http.ResponseWriter, r *http.Request, status int, name, policy string, data any) {
	var b bytes.Buffer
	v := view{User: a.sessions.user(r), Path: r.URL.Path, Data: data}
	if err := a.pages[name].Execute(&b, v); err != nil {
		http.Error(w, "render "+name+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	if policy != "" {
		h.Set("Content-Security-Policy", policy)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// static answers with an embedded file.
func (a *App) static(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, web, "web/static/"+name) }
}

func (a *App) routeStatic() {
	files, err := fs.Sub(web, "web/static")
	if err != nil {
		panic(err)
	}
	serve := http.StripPrefix("/static/", http.FileServerFS(files))
	a.mux.HandleFunc("GET /static/", func(w http.ResponseWriter, r *http.Request) {
		// Long enough for the browser's cache to matter in a session, so that
		// tests see whether a tool has switched the cache off.
		w.Header().Set("Cache-Control", "max-age=3600")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serve.ServeHTTP(w, r)
	})
	a.mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		a.static("logo.svg")(w, r)
	})
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, r, http.StatusNotFound, "notfound", r.URL.Path)
	})
}

// otherHost is the same server under its other loopback name: a different site
// for the browser. A host that is neither name gets localhost.
func otherHost(r *http.Request) string {
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		name, port = r.Host, "80"
	}
	if name == "localhost" {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return net.JoinHostPort("localhost", port)
}

// longest bounds every wait that a query asks for: a forgotten tab must not
// hold a handler for ever, and no test waits longer.
const longest = 2 * time.Minute

// duration reads a Go duration from the query ("1500ms", "2s"); absent or bad
// gives def.
func duration(r *http.Request, key string, def time.Duration) time.Duration {
	d, err := time.ParseDuration(r.URL.Query().Get(key))
	if err != nil || d < 0 {
		return def
	}
	return min(d, longest)
}
