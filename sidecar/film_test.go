package main_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestFilmsOfASession: each tab is filmed, the film of one that is closed can be
// fetched at once, and beside the file of the recording all of them stay.
func TestFilmsOfASession(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	file := filepath.Join(t.TempDir(), "session.pillion")
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "recording": apptest.Config{"file": file, "video": true}})
	p.MCP.Initialize()
	p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/mutate"})
	time.Sleep(1500 * time.Millisecond) // the film is of this
	p.MCP.Must("browser_tabs", apptest.Args{"action": "close", "index": 1})
	told := p.AwaitEvent(proto.EventFilm)
	name, _ := told.Detail["artifact"].(string)
	if told.Detail["tab"] != 2.0 || told.Detail["from"].(float64) >= told.Detail["to"].(float64) || !strings.HasPrefix(name, "film-tab2-") {
		t.Errorf("told %v", told.Detail)
	}
	kind, film := artifact(t, p, name)
	if kind != "video/mp4" || float64(len(film)) != told.Detail["bytes"] || !isMP4(film) {
		t.Errorf("%s of %d bytes: %.40q", kind, len(film), film)
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	stayed, err := filepath.Glob(file + ".films/film-tab*.mp4")
	if err != nil || len(stayed) != 2 {
		t.Fatalf("films %v, %v", stayed, err)
	}
	for _, path := range stayed {
		if content, err := os.ReadFile(path); err != nil || !isMP4(content) {
			t.Errorf("%s: %.40q, %v", path, content, err)
		}
	}
	a, err := archive.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all, err := a.Recordings(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var events strings.Builder
	if err := a.WriteTo(t.Context(), all[0].ID, &events); err != nil {
		t.Fatal(err)
	}
	for _, path := range stayed {
		if !strings.Contains(events.String(), `"file":"`+filepath.Base(path)+`"`) {
			t.Errorf("the recording does not tell of %s", path)
		}
	}
}

// isMP4 says whether a film has more than its head.
func isMP4(film []byte) bool {
	return len(film) > 1000 && bytes.Contains(film[:40], []byte("ftyp")) && bytes.Contains(film, []byte("moof"))
}

// artifact fetches a file of the session.
func artifact(t *testing.T, p *apptest.Process, name string) (kind string, content []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, strings.TrimSuffix(p.Ready.MCPURL, "/mcp")+"/artifacts/"+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apptest.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if content, err = io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", name, res.Status, err)
	}
	return res.Header.Get("Content-Type"), content
}
