package main_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/supervisor"
)

// filmed starts a browser by the library, films it, and has two tabs on screen.
func filmed(t *testing.T, films string, change func(*proto.Launch)) (*supervisor.Browser, *apptest.MCPClient, *apptest.Ingest) {
	t.Helper()
	site, ingest := apptest.Start(t), apptest.NewIngest(t, 1<<20)
	s := supervisor.Supervisor{Command: apptest.Build(t), Films: films}
	launch := proto.Launch{AppURL: site.URL(), Workdir: apptest.Workdir(t), Recording: &proto.Recording{
		URL: ingest.URL(), Token: proto.NewSecret(ingest.Config()["token"].(string)), Video: true,
	}}
	change(&launch)
	b, err := s.Start(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Stop(context.Background()) })
	mcp := apptest.NewMCP(t, b.MCPURL(), b.MCPToken().Reveal())
	mcp.Initialize()
	mcp.Must("browser_navigate", apptest.Args{"url": "/form"})
	mcp.Must("browser_tabs", apptest.Args{"action": "new", "url": "/mutate"})
	return b, mcp, ingest
}

// TestAHostHasEveryFilm: when a browser has ended, by request and at its time, the
// last part of each tab's film is with the host as well, whole.
func TestAHostHasEveryFilm(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, b *supervisor.Browser) error{
		"stop": func(t *testing.T, b *supervisor.Browser) error { return b.Stop(t.Context()) },
		"stop_at": func(t *testing.T, b *supervisor.Browser) error {
			if err := b.Extend(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			return b.Wait(t.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			films := filepath.Join(t.TempDir(), "films")
			b, mcp, _ := filmed(t, films, func(*proto.Launch) {})
			time.Sleep(1500 * time.Millisecond) // the films are of this
			mcp.Must("browser_tabs", apptest.Args{"action": "close", "index": 1})
			mcp.Must("browser_tabs", apptest.Args{"action": "new", "url": "/orders"})
			time.Sleep(time.Second) // and of this: a film needs time that passes
			began := time.Now()
			if err := end(t, b); err != nil {
				t.Errorf("the browser ended with %v", err)
			}
			t.Logf("the end took %v", time.Since(began))
			seen := map[int]bool{}
			for _, f := range b.Films() {
				content, err := os.ReadFile(f.Path)
				if err != nil || int64(len(content)) != f.Bytes || !isMP4(content) || !f.From.Before(f.To) {
					t.Errorf("%+v: %d bytes, %.40q, %v", f, len(content), content, err)
				}
				seen[f.Tab] = true
			}
			if !seen[1] || !seen[2] || !seen[3] || b.Usage().FilmsLost != 0 {
				t.Errorf("films %+v, %d lost", b.Films(), b.Usage().FilmsLost)
			}
			if kept, _ := os.ReadDir(films); len(kept) != len(b.Films()) {
				t.Errorf("%v for %d films", kept, len(b.Films()))
			}
		})
	}
}

// TestNobodyFetchesTheFilms: the stop waits for a host that does not fetch, no
// longer than it may; meanwhile it gives nothing but films.
func TestNobodyFetchesTheFilms(t *testing.T) {
	t.Parallel()
	b, _, _ := filmed(t, "", func(*proto.Launch) {})
	stopped := make(chan error, 1)
	go func() { stopped <- b.Stop(context.Background()) }()
	health := b.MCPURL()[:len(b.MCPURL())-len("mcp")] + "health"
	for e := range b.Events() {
		if e.Type != proto.EventFilm {
			continue
		}
		req, _ := http.NewRequest(http.MethodGet, health, nil)
		req.Header.Set("Authorization", "Bearer "+b.MCPToken().Reveal())
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("%v, %v", res, err)
		}
		res.Body.Close()
		break
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
	for e := range b.Events() {
		if e.Type == proto.EventStopped && e.Detail["forced"] != false {
			t.Errorf("ended with %v", e.Detail)
		}
	}
}

// TestFilmsEndAtTheirLimit: what is over it is not kept, the host is told, and the
// session goes on.
func TestFilmsEndAtTheirLimit(t *testing.T) {
	t.Parallel()
	films := t.TempDir()
	b, mcp, ingest := filmed(t, films, func(l *proto.Launch) { l.Recording.VideoBytes = 1000 })
	time.Sleep(time.Second) // the film that is over the limit is of this
	mcp.Must("browser_tabs", apptest.Args{"action": "close", "index": 1})
	for e := range b.Events() {
		if e.Type == proto.EventWarning && e.Detail["code"] == string(proto.CodeRecordingLimit) {
			break
		}
	}
	mcp.Must("browser_navigate", apptest.Args{"url": "/orders"})
	if err := b.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if kept, _ := os.ReadDir(films); len(kept) != 0 || len(b.Films()) != 0 {
		t.Errorf("kept %v", kept)
	}
	if !slices.ContainsFunc(ingest.Events(), func(e apptest.Event) bool { return e.Label() == "film_ended" }) {
		t.Error("the recording does not tell that the film ends")
	}
}
