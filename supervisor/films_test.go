package supervisor

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

// filmProcess is a process whose port is a test's.
type filmProcess struct{ Process }

func (filmProcess) HostAddr(addr string) (string, error) { return addr, nil }

// TestFilmsAreFetchedWholeOrNotAtAll: a film is kept under its own name, in the
// directory and nowhere else, and what is not all of it is not kept.
func TestFilmsAreFetchedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	token := proto.NewSecret(strings.Repeat("t", 40))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name := strings.TrimPrefix(r.URL.Path, "/artifacts/"); {
		case r.Header.Get("Authorization") != "Bearer "+token.Reveal():
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(name, "film-"):
			io.WriteString(w, name)
		case name == "moved.mp4":
			http.Redirect(w, r, "/artifacts/film-1.mp4", http.StatusFound)
		case name == "broken.mp4":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	dir := filepath.Join(t.TempDir(), "films")
	log := slog.New(slog.DiscardHandler)
	b := &Browser{log: log, process: filmProcess{}, filming: newFilmFetcher(dir, token, log)}
	b.port, _ = strconv.Atoi(port)
	tell := func(name string, bytes any) {
		b.filming.told(proto.Event{Type: proto.EventFilm, Detail: map[string]any{"artifact": name, "tab": 1.0, "from": 1000.0, "to": 2000.0, "bytes": bytes}})
	}
	good := []string{"film-1.mp4", "film-2.mp4", "film-1.mp4"}
	for _, name := range good {
		tell(name, float64(len(name)))
	}
	bad := []string{
		"../film-3.mp4", "/film-3.mp4", `..\film-3.mp4`, "a/film-3.mp4", "", ".", "film-3", "film-3.sh", "C:film-3.mp4", "missing.mp4", "moved.mp4", "broken.mp4",
	}
	for _, name := range bad {
		tell(name, 100.0)
	}
	for _, bytes := range []any{9.0, 11.0, 0.0, -1.0, nil, "10", 1e18} {
		tell("film-4.mp4", bytes)
		bad = append(bad, "size")
	}
	b.filming.close()
	b.fetchFilms()
	if films := b.Films(); len(films) != 3 || films[0].Path != filepath.Join(dir, "film-1.mp4") || films[2].Path != filepath.Join(dir, "film-1-2.mp4") || films[1].Tab != 1 || films[1].From.UnixMilli() != 1000 {
		t.Errorf("%+v", films)
	}
	if b.Usage().FilmsLost != len(bad) {
		t.Errorf("%d lost, want %d", b.Usage().FilmsLost, len(bad))
	}
	kept, err := os.ReadDir(dir)
	if err != nil || len(kept) != 3 {
		t.Errorf("%v, %v", kept, err)
	}
	if outside, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*.mp4")); len(outside) > 0 {
		t.Errorf("outside: %v", outside)
	}
}
