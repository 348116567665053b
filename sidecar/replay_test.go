package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"flag"
	"fmt"
	"image"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/supervisor/recordings"
)

// Not a part of `make golden`: the pictures have the time and ports in them.
var updatePictures = flag.Bool("update-pictures", false, "write the pictures of the manual anew")

// secretsOfASession are what is typed in [shopping], and what its pages hide.
func secretsOfASession() map[string]string {
	return map[string]string{
		"text": "Marjorie-7c1e", "password": "correct horse", "contenteditable": "Handwritten-7c1e", "card number": "4111-1111-7c1e",
		"toggled password": "Toggled-7c1e", "hidden": "Hidden-7c1e", "textarea": "Between-us-7c1e",
	}
}

// shopping is a session: login, form, editor, frames and popup, with a picture of
// each.
func shopping(t *testing.T, p *apptest.Process) (moments []moment) {
	t.Helper()
	secrets := secretsOfASession()
	typ := func(page, element, text string) {
		t.Helper()
		p.MCP.Must("browser_type", apptest.Args{"target": p.MCP.Ref(page, element), "element": element, "text": text})
	}
	p.MCP.Initialize()
	page := p.MCP.Must("browser_navigate", apptest.Args{"url": "/login"})
	typ(page, `textbox "User name"`, "ada")
	typ(page, `textbox "Password"`, secrets["password"])
	moments = append(moments, look(t, p, "login", 1))
	p.MCP.Must("browser_click", apptest.Args{"target": p.MCP.Ref(page, `button "Sign in"`)})

	page = p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	typ(page, `textbox "Customer *"`, secrets["text"])
	typ(page, `textbox "Discount password"`, secrets["password"])
	typ(page, `textbox "Notes"`, secrets["textarea"])
	// Nobody types these: only what the fields are keeps them out.
	p.MCP.Must("browser_evaluate", apptest.Args{"function": fmt.Sprintf(`() => {
		document.querySelector('[name=greeting]').value = %q;
		const code = document.querySelector('[name=code]');
		code.type = 'text';
		code.value = %q;
		document.querySelector('[name=reference]').autocomplete = 'cc-number';
	}`, secrets["hidden"], secrets["toggled password"])})
	typ(page, `textbox "Reference"`, secrets["card number"])
	p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => scrollTo(0, 0)"})
	moments = append(moments, look(t, p, "form", 1))
	typ(page, `textbox "Greeting"`, secrets["contenteditable"])
	moments = append(moments, look(t, p, "editor", 1))

	p.MCP.Must("browser_navigate", apptest.Args{"url": "/frames"})
	moments = append(moments, look(t, p, "frames", 1))
	page = p.MCP.Must("browser_navigate", apptest.Args{"url": "/popups"})
	p.MCP.Must("browser_click", apptest.Args{"target": p.MCP.Ref(page, `button "Open a tab"`)})
	p.MCP.Must("browser_tabs", apptest.Args{"action": "select", "index": 1})
	return append(moments, look(t, p, "popup", 2))
}

// intake is a host's store behind a door that is shut at first, so that the sidecar
// has to keep what it recorded. It remembers every byte that came.
type intake struct {
	store *recordings.Store
	file  string
	url   string

	mu     sync.Mutex
	open   bool
	posted bytes.Buffer // inflated
}

func newIntake(t *testing.T) *intake {
	t.Helper()
	i := &intake{file: filepath.Join(t.TempDir(), "recordings.db")}
	var err error
	if i.store, err = recordings.Open(t.Context(), i.file, recordings.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.store.Close() })
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", i))
	mux.Handle("/recordings/", http.StripPrefix("/recordings", i.store.Handler()))
	i.url = apptest.Serve(t, mux)
	return i
}

func (i *intake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.posted.WriteString(inflated(body))
	if !i.open {
		http.Error(w, "not yet", http.StatusServiceUnavailable)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	i.store.Ingest().ServeHTTP(w, r)
}

// admit opens the door.
func (i *intake) admit() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open = true
}

// inflated reads what gzip there is at the beginning of some bytes.
func inflated(packed []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return string(packed)
	}
	text, _ := io.ReadAll(z) // as far as it goes
	return string(text)
}

// spooled is what a process keeps in files that have no name any more.
func spooled(t *testing.T, pid int) string {
	t.Helper()
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		if name, _ := os.Readlink(link); strings.Contains(name, ".spool-") {
			packed, err := os.ReadFile(link)
			if err != nil {
				t.Fatal(err)
			}
			return inflated(packed)
		}
	}
	t.Fatal("there is no spool")
	return ""
}

// TestReplayLooksAsTheSessionDid records a session for a host whose store is away at
// first, replays it, and compares five moments with what the session looked like.
// What was typed is nowhere on the way.
func TestReplayLooksAsTheSessionDid(t *testing.T) {
	t.Parallel()
	site, host := apptest.Start(t), newIntake(t)
	in, err := host.store.Begin(t.Context(), recordings.About{Title: "Ada places an order", App: site.URL(), Actions: true})
	if err != nil {
		t.Fatal(err)
	}
	launch := in.Launch(host.url + "/ingest")
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "recording": apptest.Config{
		"url": launch.URL, "token": launch.Token.Reveal(), "actions": true, "spool_bytes": 64 << 20,
		"batch_events": 5, // so that there are more batches than are held in memory
	}})
	moments := shopping(t, p)
	places := map[string]string{"the spool": spooled(t, p.PID)}
	host.admit()
	apptest.Await(t, "the recording to arrive", func() bool {
		r, err := host.store.Archive().Recording(t.Context(), in.ID)
		return err == nil && r.Events > 50
	})
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	account := lastAccount(t, p)
	if account["dropped"] != 0.0 || account["invalid"] != 0.0 {
		t.Errorf("account %v", account)
	}
	if err := host.store.Finish(t.Context(), in.ID); err != nil {
		t.Fatal(err)
	}

	if dir := os.Getenv(pictureDir); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(fetch(t, host.url+"/recordings/"+in.ID+"/events", http.StatusOK)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := compare(t, host, in.ID, moments)
	t.Log("the recording begins at", start)
	places["what was posted"] = host.posted.String()
	places["the log"], places["stdout"] = p.Stderr(), strings.Join(p.Stdout(), "\n")
	for name, content := range kept(t, host, in.ID) {
		places[name] = content
	}
	for place, content := range places {
		if len(content) == 0 {
			t.Errorf("nothing is in %s", place)
		}
		for kind, secret := range secretsOfASession() {
			if strings.Contains(content, secret) {
				t.Errorf("the %s is in %s", kind, place)
			}
		}
		if strings.Contains(content, launch.Token.Reveal()) {
			t.Errorf("the token is in %s", place)
		}
	}
}

// kept is everything that a host has of a recording, and what it gives away.
func kept(t *testing.T, host *intake, id string) map[string]string {
	t.Helper()
	var events strings.Builder
	if err := host.store.Archive().WriteTo(t.Context(), id, &events); err != nil {
		t.Fatal(err)
	}
	var raw strings.Builder
	files, _ := filepath.Glob(host.file + "*")
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		raw.Write(content)
	}
	export := fetch(t, host.url+"/recordings/"+id+"/export.html", http.StatusOK)
	packed := regexp.MustCompile(`data-events="([^"]*)"`).FindStringSubmatch(export)
	if packed == nil {
		t.Fatal("the export has no events")
	}
	unpacked, err := base64.StdEncoding.DecodeString(packed[1])
	if err != nil {
		t.Fatal(err)
	}
	if inflated(unpacked) != events.String() {
		t.Error("the export is of another recording")
	}
	return map[string]string{"the store's events": events.String(), "the store's files": raw.String(), "the export": export, "the export's events": inflated(unpacked)}
}

func fetch(t *testing.T, url string, want int) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		t.Errorf("GET %s: %d, %v", url, res.StatusCode, err)
	}
	return string(body)
}

// lastAccount is what the sidecar said of its recording at the end.
func lastAccount(t *testing.T, p *apptest.Process) map[string]any {
	t.Helper()
	for _, e := range p.Events() {
		if e.Type == "recording" {
			return e.Detail
		}
	}
	t.Fatalf("no account among %v", p.Events())
	return nil
}

// TestRecordingToAFile: without a host a session is kept in a file, which survives
// that the sidecar is killed and can be looked at on a page that nobody else finds.
func TestRecordingToAFile(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	file := filepath.Join(t.TempDir(), "new", "session.pillion")
	recording := apptest.Config{"app_url": site.URL(), "recording": apptest.Config{"file": file, "actions": true}}
	p := apptest.Sidecar(t, recording)
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/orders"})
	apptest.Await(t, "the page to be kept", func() bool {
		a, err := archive.Open(t.Context(), file)
		if err != nil {
			return false
		}
		defer a.Close()
		all, err := a.Recordings(t.Context())
		return err == nil && len(all) == 1 && all[0].Events >= 5
	})
	p.Kill()

	page, replay := replayOf(t, file)
	if events := fetch(t, page+"events", http.StatusOK); !strings.Contains(events, `"type":2`) || !strings.Contains(events, `"tool":"browser_navigate"`) {
		t.Errorf("events %.2000s", events)
	}
	about := fetch(t, page+"recording.json", http.StatusOK)
	if !strings.Contains(about, `"app":"`+site.URL()) || strings.Contains(about, `"how"`) {
		t.Errorf("about %s", about)
	}
	origin := regexp.MustCompile(`^http://[^/]+/`).FindString(page)
	for _, other := range []string{origin, origin + "recordings.json", origin + strings.Repeat("A", 26) + "/"} {
		fetch(t, other, http.StatusNotFound)
	}
	req, err := http.NewRequest(http.MethodGet, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example"
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("under another name: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	replay.Signal(os.Interrupt)
	if code := replay.Wait(); code != 0 {
		t.Errorf("the page ended with %d: %s", code, replay.Stderr())
	}

	// The next session adds to the file, and ends as it should.
	p = apptest.Sidecar(t, recording)
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if account := lastAccount(t, p); account["sent"] == 0.0 || account["dropped"] != 0.0 {
		t.Errorf("account %v", account)
	}
	page, _ = replayOf(t, file)
	if list := fetch(t, page, http.StatusOK); strings.Count(list, "<tr>") != 3 || !strings.Contains(list, "<td>open") || !strings.Contains(list, "<td>after") {
		t.Errorf("list %s", list)
	}
}

// replayOf starts `sidecar replay` and returns the page that it names.
func replayOf(t *testing.T, file string) (page string, p *apptest.Process) {
	t.Helper()
	p = apptest.SpawnCommand(t, exec.Command(apptest.Build(t), "replay", file), nil)
	apptest.Await(t, "the page's address", func() bool {
		page = regexp.MustCompile(`(?m)^http://127\.0\.0\.1:\d+/\S+$`).FindString(p.Stderr())
		return page != "" || !p.Running()
	})
	if page == "" {
		t.Fatalf("there is no page: %s", p.Stderr())
	}
	return page, p
}

// moment is what a recorded session looked like at a time.
type moment struct {
	name    string
	tab     int
	at      time.Time
	picture image.Image
}
