//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// configs are the rows of launch configs, as changes of an ordinary one. A row
// without an entry is such a change itself, or a whole text.
func configs() map[string]apptest.Config {
	return map[string]apptest.Config{
		"S006": {},
		"S008": {"token": ""},
		"S009": {"app_url": "file:///x"},
		"S010": {"app_url": "http://127.0.0.1:7000/path?query#fragment"},
		"S011": {"stop_at": 1},
		"S012": {"capabilities": []string{"devtools"}},
		"S013": {"tokn": "x", "allow_everything": true},
		"S014": {"live": apptest.Config{"session_id": "s", "origins": []string{"*"}}},
		"S016": {"stop_at": "2026-13-45"},
	}
}

// configText is the whole text of a row's config; ready says that the sidecar
// should start with it.
func (e *scene) configText(t *testing.T, r row, workdir string) (text string, ready bool) {
	t.Helper()
	change, known := configs()[r.ID]
	ready = r.allowed() || r.ID == "S010" || r.ID == "S011" || r.ID == "S013"
	switch {
	case r.ID == "S007":
		return "", false
	case !known && r.How == "text":
		return r.Input, ready
	case !known && r.ID != "S015":
		if err := json.Unmarshal([]byte(r.Input), &change); err != nil {
			t.Fatalf("the row is no change: %v", err)
		}
	}
	config := apptest.Config{"token": apptest.Token, "app_url": e.origin(), "workdir": workdir, "port": 0, "chromium": e.flavour}
	maps.Copy(config, change)
	maps.DeleteFunc(config, func(_ string, v any) bool { return v == "absent" })
	b, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	text = string(b)
	if r.ID == "S015" {
		text += text
	}
	return text, ready
}

// configRow starts the real program with a row's config. A refused one ends with
// 1 and says which key is wrong, without a browser and without a ready line.
func configRow(t *testing.T, e *scene, r row) {
	if r.ID == "S017" {
		e.stdinHeldOpen(t)
		return
	}
	workdir := apptest.Workdir(t)
	text, ready := e.configText(t, r, workdir)
	p := apptest.Spawn(t, []byte(text))
	p.CloseStdin()
	if ready {
		e.mustStart(t, p, r)
		return
	}
	code := p.Wait()
	log := p.Stderr()
	if code != 1 || started(p) {
		t.Errorf("ended with %d, ready %v:\n%s", code, started(p), log)
	}
	key, _, hasKey := strings.Cut(r.Why, ":")
	if !strings.Contains(log, "browser-sidecar: ") || !strings.Contains(log, "invalid configuration: ") && !strings.Contains(log, `"code"`) {
		t.Errorf("it does not say that the configuration is wrong:\n%s", log)
	}
	if strings.HasPrefix(r.ID, "M") && hasKey && !strings.Contains(log, key) {
		t.Errorf("it does not name %s:\n%s", key, log)
	}
	if strings.Contains(log, apptest.Token) || strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Errorf("it says too much:\n%s", log)
	}
	if left, _ := os.ReadDir(workdir); len(left) > 0 {
		t.Errorf("it has made %v", left)
	}
}

func (e *scene) mustStart(t *testing.T, p *apptest.Process, r row) {
	t.Helper()
	apptest.Await(t, "the ready line", func() bool { return started(p) })
	switch r.ID {
	case "S011":
		if code := p.Wait(); code != 0 {
			t.Errorf("ended with %d", code)
		}
		return
	case "S013":
		for _, key := range []string{"tokn", "allow_everything"} {
			if !strings.Contains(p.Stderr(), key) {
				t.Errorf("no warning of %s:\n%s", key, p.Stderr())
			}
		}
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// stdinHeldOpen: a parent that writes nothing and holds the stream open learns of
// it in time; one that promises a lifeline and dies takes the sidecar along.
func (e *scene) stdinHeldOpen(t *testing.T) {
	t.Helper()
	workdir := apptest.Workdir(t)
	p := apptest.Spawn(t, fmt.Appendf(nil, `{"token":%q,"app_url":%q,"workdir":%q,"lifeline":true}`, apptest.Token, e.origin(), workdir))
	apptest.Await(t, "the ready line", func() bool { return started(p) })
	p.CloseStdin()
	if code := p.Wait(); code != 0 {
		t.Errorf("after its parent's end it ended with %d", code)
	}
	if !full() {
		e.note("the 30 s of silence are for make attack")
		return
	}
	begin := time.Now()
	silent := apptest.Spawn(t, nil)
	select {
	case <-silent.Gone():
	case <-time.After(configPatience):
		t.Fatalf("it still waits after %v", configPatience)
	}
	if code := silent.Wait(); code != 1 || !strings.Contains(silent.Stderr(), "config_timeout") {
		t.Errorf("after %v it ended with %d:\n%s", time.Since(begin), code, silent.Stderr())
	}
}

// configPatience is longer than the 30 s that a sidecar waits for its config.
const configPatience = 40 * time.Second

// started says whether the sidecar has written its ready line.
func started(p *apptest.Process) bool { return len(p.Stdout()) > 0 }
