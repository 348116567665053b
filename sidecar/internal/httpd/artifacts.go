package httpd

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// artifactsPath is what the names of the session's files follow.
const artifactsPath = "/artifacts/"

// artifact sends one of the session's files, to be saved and not to be shown:
// pages make some of them, and this server's origin must not become theirs.
func (s *Server) artifact(w http.ResponseWriter, escaped string) {
	name, err := url.PathUnescape(escaped)
	if err != nil || name == "" {
		writeError(w, http.StatusNotFound, "Not found")
		return
	}
	f, err := s.opts.Artifacts(name)
	if err != nil {
		// It is not there, or not theirs: one answer for both.
		writeError(w, http.StatusNotFound, "Not found")
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		s.log.Error("artifact not read", "error", err)
		writeError(w, http.StatusInternalServerError, internalError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", artifactType(name))
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+percentEncoded(path.Base(name)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	w.WriteHeader(http.StatusOK)
	_, err = io.CopyN(w, f, info.Size())
	switch {
	case err == nil && s.opts.Sent != nil:
		s.opts.Sent(name)
	case errors.Is(err, io.EOF):
		// The file has become shorter and the length is out: only the connection's
		// end can say that it is not true.
		panic(http.ErrAbortHandler)
	}
}

// artifactType is the type of a file by its ending, from a list of those that a
// receiver can do nothing bad with. What a page says of a file does not count.
func artifactType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".gif":
		return "image/gif"
	case ".mp4":
		return "video/mp4"
	case ".pdf":
		return "application/pdf"
	case ".json":
		return "application/json"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".txt", ".log", ".md", ".yml", ".yaml":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// percentEncoded is text as a header's extended value has it.
func percentEncoded(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-' || c == '.' || c == '_' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
