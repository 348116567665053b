package replay_test

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/proto/replay"
)

const hostileTitle = `</title><script>alert(1)</script>"' data-events="EVENTS-GO-HERE"`

// serve is two recordings, mounted below a path, and the id of the first.
func serve(t *testing.T) (url, id string) {
	t.Helper()
	ctx := context.Background()
	a, err := archive.Create(ctx, filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	began := time.UnixMilli(1_800_000_000_000)
	r, err := a.Begin(ctx, archive.About{Title: hostileTitle, App: "http://127.0.0.1:3000"}, began)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Begin(ctx, archive.About{ID: "an id/with?odd letters"}, began); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		e := archive.Event{Kind: "marker", Time: 1.8e12 + float64(i), Data: json.RawMessage(fmt.Sprintf(`{"label":"</div><script>%d"}`, i))}
		if err := a.Append(ctx, r.ID, "", []archive.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.End(ctx, r.ID, archive.Finished, began.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/some/where/", http.StripPrefix("/some/where", replay.Handler(a, nil)))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/some/where/", r.ID
}

func get(t *testing.T, url string, want int) (http.Header, string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != want {
		t.Errorf("GET %s: %d, want %d", url, res.StatusCode, want)
	}
	for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
		if res.Header.Get(name) != value {
			t.Errorf("GET %s: %s is %q", url, name, res.Header.Get(name))
		}
	}
	if p := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; script-src 'self';") && !strings.HasPrefix(p, "default-src 'none'; script-src 'sha256-") {
		t.Errorf("GET %s: policy %s", url, p)
	}
	return res.Header, string(body)
}

func TestRoutes(t *testing.T) {
	base, id := serve(t)
	_, list := get(t, base, 200)
	if !strings.Contains(list, `href="`+id+`/"`) || !strings.Contains(list, `href="an%20id%2Fwith%3Fodd%20letters/"`) || strings.Contains(list, "<script") {
		t.Error(list)
	}
	var all struct{ Recordings []archive.Recording }
	if _, text := get(t, base+"recordings.json", 200); json.Unmarshal([]byte(text), &all) != nil || len(all.Recordings) != 2 {
		t.Error(text)
	}
	var one archive.Recording
	if _, text := get(t, base+id+"/recording.json", 200); json.Unmarshal([]byte(text), &one) != nil || one.Events != 3 || one.How != archive.Finished {
		t.Error(text)
	}
	if _, text := get(t, base+id+"/events", 200); strings.Count(text, "\n") != 3 || !strings.HasPrefix(text, `{"kind":"marker","timestamp":1800000000000,`) {
		t.Error(text)
	}
	for _, odd := range []string{"an%20id%2Fwith%3Fodd%20letters", id} { // without the last slash
		if _, page := get(t, base+odd, 200); !strings.Contains(page, `id="stage"`) {
			t.Error(page)
		}
	}
	for _, name := range []string{"replay.js", "replay.css", "player.js", "player.css", "list.css"} {
		if h, text := get(t, base+"assets/"+name, 200); len(text) < 300 || strings.Contains(h.Get("Content-Type"), "javascript") != strings.HasSuffix(name, ".js") {
			t.Errorf("%s: %d bytes, %s", name, len(text), h.Get("Content-Type"))
		}
	}
	for _, none := range []string{"none/", "none/events", "none/export.html", id + "/none", "assets/none"} {
		get(t, base+none, 404)
	}
}

func TestThePageEscapesWhatARecordingSays(t *testing.T) {
	base, id := serve(t)
	_, page := get(t, base+id+"/", 200)
	scripts := regexp.MustCompile(`<script[^>]*>`).FindAllString(page, -1)
	if fmt.Sprint(scripts) != `[<script src="../assets/player.js" defer> <script src="../assets/replay.js" defer>]` {
		t.Errorf("scripts %v", scripts)
	}
}

// TestTheExportIsOneFile: it names nothing outside of itself, its policy knows its
// scripts, and its events are those of the recording.
func TestTheExportIsOneFile(t *testing.T) {
	base, id := serve(t)
	h, page := get(t, base+id+"/export.html", 200)
	if h.Get("Content-Disposition") != `attachment; filename="recording-`+id+`.html"` {
		t.Errorf("%v", h)
	}
	head, _, _ := strings.Cut(page, "</style>")
	if strings.Contains(head, "<link rel=\"stylesheet") || strings.Count(page, "<script>") != 2 || strings.Contains(page, "<script ") || strings.Contains(page, "alert(1)</script>") {
		t.Error("it is no single file, or not of our scripts alone")
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || strings.ReplaceAll(strings.ReplaceAll(policy[1], "&#39;", "'"), "&#43;", "+") != h.Get("Content-Security-Policy") {
		t.Errorf("policy %q", policy)
	}
	packed := regexp.MustCompile(`data-events="([^"]*)"`).FindStringSubmatch(page)
	if packed == nil {
		t.Fatal("there are no events in it")
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed[1])))
	if err != nil {
		t.Fatal(err)
	}
	events, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if _, want := get(t, base+id+"/events", 200); string(events) != want {
		t.Errorf("events %s", events)
	}
}
