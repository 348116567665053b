package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
)

// Source is where recordings are read; an archive.Archive is one.
type Source interface {
	Recordings(ctx context.Context) ([]archive.Recording, error)
	Recording(ctx context.Context, id string) (archive.Recording, error)
	// WriteTo writes all events of a recording as JSON lines, in order.
	WriteTo(ctx context.Context, id string, w io.Writer) error
}

// policy allows the pages their own files and nothing else; package documentation
// says why styles are an exception.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Assets is the part of a path where the pages' own files are, and so can't be the
// name of a recording.
const Assets = "assets"

type server struct {
	source Source
	log    *slog.Logger
	pages  *pages
}

// Handler serves the list of recordings at "/", the files of the pages at
// "/assets/", and each recording below "/ID/". All links are relative, so it can
// stand anywhere. It asks nobody who they are. A nil log is silent.
func Handler(source Source, log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &server{source: source, log: log, pages: parsePages()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.list)
	mux.HandleFunc("GET /recordings.json", s.listJSON)
	mux.HandleFunc("GET /{id}", func(w http.ResponseWriter, r *http.Request) {
		// The path on the wire is longer than the one here where this is mounted
		// elsewhere, so the answer must be relative.
		w.Header().Set("Location", "./"+url.PathEscape(r.PathValue("id"))+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	mux.HandleFunc("GET /{id}/{file...}", s.file)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-DNS-Prefetch-Control", "off")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func (s *server) file(w http.ResponseWriter, r *http.Request) {
	id, file := r.PathValue("id"), r.PathValue("file")
	if id == Assets {
		s.asset(w, r, file)
		return
	}
	recording, err := s.source.Recording(r.Context(), id)
	if err != nil {
		s.fail(w, err)
		return
	}
	switch file {
	case "":
		s.page(w, s.pages.replay, recording)
	case "recording.json":
		s.json(w, recording)
	case "events":
		s.events(w, r, id)
	case "export.html":
		s.export(w, r, recording)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) asset(w http.ResponseWriter, r *http.Request, name string) {
	content, ok := s.pages.assets[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	kind := "text/javascript; charset=utf-8"
	if strings.HasSuffix(name, ".css") {
		kind = "text/css; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	io.WriteString(w, content)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	all, err := s.source.Recordings(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	s.page(w, s.pages.list, all)
}

func (s *server) listJSON(w http.ResponseWriter, r *http.Request) {
	all, err := s.source.Recordings(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	s.json(w, map[string]any{"recordings": all})
}

// events streams the events. What goes wrong midway can only be said by breaking
// the connection.
func (s *server) events(w http.ResponseWriter, r *http.Request, id string) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	var to io.Writer = w
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		to = z
	}
	if err := s.source.WriteTo(r.Context(), id, to); err != nil {
		s.log.Warn("a recording could not be sent", "recording", id, "error", err)
		panic(http.ErrAbortHandler)
	}
}

func (s *server) export(w http.ResponseWriter, r *http.Request, recording archive.Recording) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="recording-`+fileName(recording.ID)+`.html"`)
	// The file brings its own policy, and this server's allows nothing of it.
	h.Set("Content-Security-Policy", s.pages.exportPolicy())
	if err := s.pages.export(r.Context(), w, s.source, recording); err != nil {
		s.log.Warn("a recording could not be exported", "recording", recording.ID, "error", err)
		panic(http.ErrAbortHandler)
	}
}

// fileName keeps what no system objects to in a file's name.
func fileName(id string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return -1
	}, id)
}

// page writes a page whole or not at all.
func (s *server) page(w http.ResponseWriter, t template, data any) {
	var body bytes.Buffer
	if err := t.Execute(&body, data); err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	body.WriteTo(w)
}

func (s *server) json(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(data)
}

func (s *server) fail(w http.ResponseWriter, err error) {
	status, said := http.StatusInternalServerError, &proto.Error{Code: proto.CodeInternal, Message: "the recordings could not be read"}
	if errors.Is(err, proto.CodeRecordingUnknown) {
		status = http.StatusNotFound
		errors.As(err, &said)
	} else {
		s.log.Error("recordings could not be read", "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": said})
}
