package app

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func (a *App) routeTrouble() {
	a.mux.HandleFunc("GET /slow", a.slow)
	a.mux.HandleFunc("GET /slow/load", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, r, http.StatusOK, "slowload", nil)
	})
	a.mux.HandleFunc("GET /slow/image", a.slowImage)
	a.mux.HandleFunc("GET /broken/status", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.URL.Query().Get("code"))
		if err != nil || code < 200 || code > 599 {
			code = http.StatusInternalServerError
		}
		a.render(w, r, code, "status", fmt.Sprintf("%d %s", code, http.StatusText(code)))
	})
	a.mux.HandleFunc("GET /broken/empty", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
	})
	a.mux.HandleFunc("GET /broken/nocontent", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	a.mux.HandleFunc("GET /broken/html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policyStrict)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		a.static("tagsoup.txt")(w, r)
	})
	a.mux.HandleFunc("GET /broken/charset", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=x-no-such-charset")
		io.WriteString(w, "<!doctype html><title>Charset</title><h1>Bytes \xff\xfe\xc3\x28 that are no text</h1>")
	})
	a.mux.HandleFunc("GET /broken/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "this is not gzip")
	})
	a.mux.HandleFunc("GET /broken/truncated", a.raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<h1>Cut", false))
	a.mux.HandleFunc("GET /broken/reset", a.raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<h1>Reset", true))
	a.mux.HandleFunc("GET /broken/close", a.raw("", false))
	a.mux.HandleFunc("GET /broken/garbage", a.raw("\x16\x03\x01 this is no HTTP\r\n\r\n", false))

	for _, code := range []int{301, 302, 303, 307, 308} {
		a.mux.HandleFunc(fmt.Sprintf("/redirect/%d", code), func(w http.ResponseWriter, r *http.Request) {
			redirect(w, code, redirectTarget(r).(string))
		})
	}
	a.mux.HandleFunc("/redirect/chain", chain)
	a.mux.HandleFunc("GET /redirect/loop", func(w http.ResponseWriter, r *http.Request) {
		redirect(w, http.StatusFound, "/redirect/loop")
	})
	a.mux.HandleFunc("GET /redirect/header", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Refresh", "0; url="+oneLine(redirectTarget(r).(string)))
		a.renderUnder(w, r, http.StatusOK, "status", policyNone, "Leaving by a Refresh header")
	})
	a.mux.HandleFunc("GET /redirect/meta", func(w http.ResponseWriter, r *http.Request) {
		a.renderUnder(w, r, http.StatusOK, "metarefresh", policyNone, redirectTarget(r))
	})
	a.mux.HandleFunc("GET /redirect/js", func(w http.ResponseWriter, r *http.Request) {
		a.renderUnder(w, r, http.StatusOK, "jsredirect", policyNone, redirectTarget(r))
	})
	a.mux.HandleFunc("/redirect/landing", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, fieldLimit))
		a.render(w, r, http.StatusOK, "landing", struct{ Method, Referrer, Body string }{r.Method, r.Referer(), string(body)})
	})
}

// slow waits ?headers before its first byte, then spreads ?body over ?chunks
// paragraphs. Without a query it is the index of the slow pages.
func (a *App) slow(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		a.render(w, r, http.StatusOK, "slow", nil)
		return
	}
	chunks, err := strconv.Atoi(r.URL.Query().Get("chunks"))
	if err != nil || chunks < 1 {
		chunks = 10
	}
	chunks = min(chunks, 1000)
	every := duration(r, "body", 0) / time.Duration(chunks)
	if !a.pause(r, duration(r, "headers", 0)) {
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policyStrict)
	io.WriteString(w, "<!doctype html><html lang=en><title>Slow page</title><link rel=stylesheet href=/static/shop.css>\n<main><h1>Slow page</h1>\n")
	flush := http.NewResponseController(w)
	for i := range chunks {
		if flush.Flush() != nil || !a.pause(r, every) {
			return
		}
		fmt.Fprintf(w, "<p>Part %d of %d</p>\n", i+1, chunks)
	}
	io.WriteString(w, "<p>Everything arrived.</p></main></html>\n")
}

// slowImage sends the head of a picture and then nothing for ?for (without it
// or with 0: for as long as somebody waits), then the rest.
func (a *App) slowImage(w http.ResponseWriter, r *http.Request) {
	image := picture()
	w.Header().Set("Content-Type", "image/gif")
	w.Header().Set("Cache-Control", "no-store")
	io.CopyN(w, image, 10)
	if http.NewResponseController(w).Flush() != nil {
		return
	}
	d := duration(r, "for", 0)
	if d == 0 {
		d = -1
	}
	if a.pause(r, d) {
		io.Copy(w, image)
	}
}

// raw answers with bytes of our own on the bare connection and closes it; with
// reset, so that the peer sees "connection reset" and not an orderly end.
func (a *App) raw(answer string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			http.Error(w, "this page needs a real connection", http.StatusNotImplemented)
			return
		}
		defer conn.Close()
		io.WriteString(conn, answer)
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			// Let the bytes leave before the reset throws away what is queued.
			a.pause(r, 50*time.Millisecond)
			tcp.SetLinger(0)
		}
	}
}

// redirect answers with the target exactly as it was given: http.Redirect
// would clean it, and odd targets are the point here.
func redirect(w http.ResponseWriter, code int, to string) {
	w.Header().Set("Location", oneLine(to))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
}

// chain redirects ?n times, by turns with 302 and 307, and then to ?to.
func chain(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	n, err := strconv.Atoi(q.Get("n"))
	if err != nil {
		n = 3
	}
	n = min(n, 100)
	if n <= 1 {
		redirect(w, http.StatusFound, redirectTarget(r).(string))
		return
	}
	code := http.StatusFound
	if n%2 == 0 {
		code = http.StatusTemporaryRedirect
	}
	q.Set("n", strconv.Itoa(n-1))
	redirect(w, code, "/redirect/chain?"+q.Encode())
}

// oneLine keeps a header value on its line.
func oneLine(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }
