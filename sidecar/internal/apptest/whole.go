package apptest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
)

// Proxy is a ReverseProxy for tests that has a request whole before it passes it on.
// One that still reads the body when the answer comes may cut the answer: net/http
// closes the body for the answer's sake, the proxy's transport takes that for a failed
// write, and closes the connection.
func Proxy(p *httputil.ReverseProxy) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.ContentLength = int64(len(body)); len(body) == 0 {
			r.Body = http.NoBody
		}
		r.TransferEncoding = nil
		p.ServeHTTP(w, r)
	})
}
