package shelf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/supervisor/hostapi"
	"github.com/pillion-browser/pillion/supervisor/recordings"
	"github.com/pillion-browser/pillion/supervisor/shelf"
)

// byHeader knows people by a header.
type byHeader struct{}

func (byHeader) Identify(r *http.Request) (hostapi.Identity, error) {
	owner := r.Header.Get("X-Owner")
	if owner == "" {
		return hostapi.Identity{}, errors.New("nobody")
	}
	return hostapi.Identity{Owner: owner}, nil
}

// A recording is opened for a session, takes its events, is completed with it,
// and is there for its owner and for nobody else.
func TestShelf(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store, err := recordings.Open(ctx, filepath.Join(t.TempDir(), "recordings.db"), recordings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ingest := httptest.NewServer(store.Ingest())
	defer ingest.Close()
	s := shelf.New(store, ingest.URL)
	sandbox := hostapi.Sandbox{ID: "s1", Owner: "acme", Title: "The shop", AppURL: "http://127.0.0.1:3000"}

	launch, err := s.Open(ctx, sandbox, "session1")
	if err != nil || !launch.Actions {
		t.Fatalf("open: %+v, %v", launch, err)
	}
	post := func() int {
		t.Helper()
		now := time.Now().UnixMilli()
		body := fmt.Sprintf(`{"sent_at":%d,"recording_events":[{"kind":"marker","timestamp":%d,"data":{"label":"page_opened"}}]}`, now, now)
		r, _ := http.NewRequest("POST", launch.URL, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+launch.Token.Reveal())
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got := post(); got != http.StatusCreated {
		t.Errorf("post: %d", got)
	}
	for range 2 {
		if err := s.Complete(ctx, sandbox, "session1"); err != nil {
			t.Error(err)
		}
	}
	if err := s.Complete(ctx, sandbox, "never-opened"); err != nil {
		t.Error(err)
	}
	if got := post(); got != http.StatusUnauthorized {
		t.Errorf("a post after its end: %d", got)
	}

	if own, err := s.List(ctx, "acme"); err != nil || len(own) != 1 || own[0].Title != "The shop" || own[0].Events != 1 || own[0].Ended.IsZero() {
		t.Errorf("acme's: %+v, %v", own, err)
	}
	if others, err := s.List(ctx, "rival"); err != nil || len(others) != 0 {
		t.Errorf("rival's: %+v, %v", others, err)
	}
	pages := s.Handler(byHeader{})
	id := shelf.ID("acme", "session1")
	for _, path := range []string{"/" + id + "/", "/" + id + "/events", "/" + id + "/recording.json", "/" + id + "/export.html"} {
		for owner, want := range map[string]int{"acme": 200, "rival": 404, "": 401} {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("X-Owner", owner)
			w := httptest.NewRecorder()
			pages.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s for %q: %d, want %d", path, owner, w.Code, want)
			}
			body, _ := io.ReadAll(w.Body)
			if owner != "acme" && bytes.Contains(body, []byte("The shop")) {
				t.Errorf("%s tells %q about it", path, owner)
			}
		}
	}
	r := httptest.NewRequest("GET", "/recordings.json", nil)
	r.Header.Set("X-Owner", "rival")
	w := httptest.NewRecorder()
	if pages.ServeHTTP(w, r); strings.Contains(w.Body.String(), id) {
		t.Errorf("the list tells rival: %s", w.Body)
	}
}
