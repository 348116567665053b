package app

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	// fileDefault and fileMost are sizes of generated downloads, in bytes.
	fileDefault = 1024
	fileMost    = 1 << 30
	largeFile   = 20 << 20
	chunk       = 64 << 10
)

// OddNames are the file names that /downloads offers: each is one that careless
// code stores in the wrong place or not at all.
func OddNames() []string {
	return []string{
		"report.csv",
		"quarterly report (final).csv",
		"naïve café – 注文書.txt",
		`quo"te;semi.txt`,
		"../../escape.txt",
		`..\..\escape.txt`,
		"/etc/passwd",
		".htaccess",
		"con.txt",
		"trailing dot.",
		"tab\tname.txt",
		"gpj.exe\u202e.txt",
		strings.Repeat("long", 75) + ".txt",
		"",
	}
}

func (a *App) routeFiles() {
	a.mux.HandleFunc("GET /downloads", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, r, http.StatusOK, "downloads", OddNames())
	})
	a.mux.HandleFunc("GET /downloads/file", a.download)
	a.mux.HandleFunc("GET /downloads/large", a.downloadLarge)
	a.mux.HandleFunc("GET /uploads", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, r, http.StatusOK, "uploads", nil)
	})
	a.mux.HandleFunc("POST /uploads", func(w http.ResponseWriter, r *http.Request) {
		_, files, err := a.readForm(w, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if strings.HasPrefix(r.Header.Get("Accept"), "application/json") {
			writeJSON(w, http.StatusOK, files)
			return
		}
		a.render(w, r, http.StatusOK, "uploaded", files)
	})
}

// Content is what a generated download of size bytes holds: numbered lines, so
// that a missing piece shows.
func Content(size int64) io.Reader { return io.LimitReader(&lines{}, size) }

// lines reads "line 1\nline 2\n..." without end.
type lines struct {
	next int
	rest []byte
}

func (l *lines) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(l.rest) == 0 {
			l.next++
			l.rest = fmt.Appendf(l.rest[:0], "line %d\n", l.next)
		}
		m := copy(p[n:], l.rest)
		l.rest = l.rest[m:]
		n += m
	}
	return n, nil
}

// disposition names a file the way real servers do: the plain parameter for
// old clients, the encoded one for everything else. Control characters cannot
// travel in the plain one.
func disposition(kind, name string) string {
	if name == "" {
		return kind
	}
	plain := strings.Map(func(c rune) rune {
		switch {
		case c < ' ' || c > '~':
			return '_'
		}
		return c
	}, name)
	plain = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(plain)
	return fmt.Sprintf(`%s; filename="%s"; filename*=UTF-8''%s`, kind, plain, url.PathEscape(name))
}

// download answers ?size bytes under ?name, as an attachment unless ?inline=1.
func (a *App) download(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	size := size(q.Get("size"), fileDefault)
	kind, contentType := "attachment", q.Get("type")
	if q.Get("inline") == "1" {
		kind = "inline"
	}
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", disposition(kind, q.Get("name")))
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	h.Set("Cache-Control", "no-store")
	io.Copy(w, Content(size))
}

// downloadLarge streams ?bytes in chunks, waiting ?every between them. It
// announces the length unless ?length=0, and breaks off in the middle with
// ?cut=1.
func (a *App) downloadLarge(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	size, every := size(q.Get("bytes"), largeFile), duration(r, "every", 0)
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", disposition("attachment", "large.bin"))
	if q.Get("length") != "0" {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
	}
	content, flush := Content(size), http.NewResponseController(w)
	for sent := int64(0); sent < size; sent += chunk {
		if q.Get("cut") == "1" && sent >= size/2 {
			panic(http.ErrAbortHandler)
		}
		if _, err := io.CopyN(w, content, min(chunk, size-sent)); err != nil {
			return
		}
		if flush.Flush() != nil || every > 0 && !a.pause(r, every) {
			return
		}
	}
}

func size(value string, def int64) int64 {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return def
	}
	return min(n, fileMost)
}

// picture is a small valid GIF, for images that load at once.
func picture() *bytes.Reader {
	return bytes.NewReader([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x2f\x6f\x5e\x00\x00\x00!\xf9\x04\x00\x00\x00\x00\x00," +
		"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
}
