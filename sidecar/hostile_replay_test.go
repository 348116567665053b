package main_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
)

// contacts are elements and attributes by which a page makes a browser contact
// somebody. %s is an address, which has the contact's name in it.
func contacts() []hostileNode {
	link := func(name, rel string, more ...string) hostileNode {
		return element(name, "link", append([]string{"rel", rel, "href", "%s"}, more...)...)
	}
	return []hostileNode{
		link("preconnect", "preconnect"), link("preconnect-odd", " x\tPreConnect", "crossorigin", ""),
		link("dns-prefetch", "dns-prefetch"), link("prefetch", "prefetch"), link("prerender", "prerender"),
		link("preload-image", "preload", "as", "image"), link("preload-font", "preload", "as", "font", "crossorigin", ""),
		link("modulepreload", "modulepreload"), link("stylesheet", "stylesheet"), link("icon", "icon"), link("touch", "apple-touch-icon"),
		link("manifest", "manifest"), link("next", "next"), link("dictionary", "compression-dictionary"),
		element("prefetch-control", "meta", "http-equiv", "x-dns-prefetch-control", "content", "on"),
		element("refresh", "meta", "http-equiv", "refresh", "content", "0;url=%s"),
		element("refresh-odd", "meta", "http-equiv", "ReFresh", "content", "1; %s"),
		element("base", "base", "href", "%s"), element("relative", "img", "src", "relative-to-base"),
		element("iframe", "iframe", "src", "%s"), element("iframe-rr", "iframe", "rr_src", "%s"),
		element("srcdoc", "iframe", "srcdoc", "<img src='%s'>"), element("frame", "frame", "src", "%s"),
		element("object", "object", "data", "%s"), element("embed", "embed", "src", "%s", "type", "text/html"),
		element("video", "video", "src", "%s", "poster", "%s", "autoplay", ""), element("audio", "audio", "src", "%s", "preload", "auto"),
		element("image", "img", "src", "%s", "srcset", "%s 1x, %s 2x"), element("image-rr", "img", "rr_src", "%s"),
		element("image-lazy", "img", "loading", "eager", "srcset", "%s 100w", "sizes", "100px"),
		element("submit", "input", "type", "image", "src", "%s"), element("background", "table", "background", "%s"),
		element("anchor", "a", "href", "%s", "ping", "%s"), element("style", "div", "style", "background: url(%s); mask: url(%s#m); cursor: url(%s), auto"),
		element("sheet", "link", "rel", "stylesheet", "_cssText", "@import url(%s); @font-face { font-family: f; src: url(%s) } * { font-family: f; list-style: url(%s) }"),
		element("script", "script", "src", "%s"), element("script-in", "script", "type", "speculationrules"),
		element("svg-image", "image", "href", "%s", "isSVG", "true"), element("svg-use", "use", "href", "%s#x", "isSVG", "true"),
		element("filter", "div", "style", "filter: url(%s#f)"),
	}
}

// hostileNode is an element of a recording.
type hostileNode struct {
	name, tag  string
	attributes []string // names and values
}

func element(name, tag string, attributes ...string) hostileNode {
	return hostileNode{name, tag, attributes}
}

// serialised is the element as the library has it.
func (n hostileNode) serialised(id int, way string, port int) map[string]any {
	node := map[string]any{"type": 2, "tagName": n.tag, "id": id, "childNodes": []any{}}
	attributes := map[string]any{}
	for i := 0; i < len(n.attributes); i += 2 {
		if n.attributes[i] == "isSVG" {
			node["isSVG"] = true
			continue
		}
		attributes[n.attributes[i]] = n.value(i+1, way, port)
	}
	node["attributes"] = attributes
	return node
}

func (n hostileNode) value(i int, way string, port int) string {
	return strings.ReplaceAll(n.attributes[i], "%s", fmt.Sprintf("http://%s-%s.hostile.localhost:%d/x", n.name, way, port))
}

// hostileEvents are a recording whose pages contact somebody in three ways: by their
// first picture, by what is added, and by attributes that change.
func hostileEvents(port int) []archive.Event {
	start := float64(1_800_000_000_000)
	var events []archive.Event
	add := func(typ int, data map[string]any) {
		raw, _ := json.Marshal(map[string]any{"type": typ, "timestamp": start, "tab": 1, "data": data})
		events = append(events, archive.Event{Kind: "rrweb", Time: start, Data: raw})
		start += 10
	}
	node := func(id int, tag string, children ...any) map[string]any {
		return map[string]any{"type": 2, "tagName": tag, "id": id, "attributes": map[string]any{}, "childNodes": slices.Concat([]any{}, children)}
	}
	var first, adds, changes []any
	for i, n := range contacts() {
		first = append(first, n.serialised(100+i, "first", port))
		adds = append(adds, map[string]any{"parentId": 4, "nextId": nil, "node": n.serialised(300+i, "added", port)})
		// An element that had none of it changes attribute by attribute.
		adds = append(adds, map[string]any{"parentId": 4, "nextId": nil, "node": node(500+i, n.tag)})
		changed := n.serialised(0, "changed", port)["attributes"]
		changes = append(changes, map[string]any{"id": 500 + i, "attributes": changed})
	}
	add(4, map[string]any{"href": "http://127.0.0.1/", "width": 800, "height": 600})
	add(2, map[string]any{"initialOffset": map[string]any{"left": 0, "top": 0}, "node": map[string]any{"type": 0, "id": 1, "childNodes": []any{
		node(2, "html", node(3, "head", first...), node(4, "body", first[len(first)/2:]...)),
	}}})
	add(3, map[string]any{"source": 0, "texts": []any{}, "attributes": []any{}, "removes": []any{}, "adds": adds})
	add(3, map[string]any{"source": 0, "texts": []any{}, "attributes": changes, "removes": []any{}, "adds": []any{}})
	css := fmt.Sprintf("@font-face { font-family: g; src: url(http://rule.hostile.localhost:%d/f) } body { background: url(http://rule.hostile.localhost:%d/x); font-family: g }", port, port)
	add(3, map[string]any{"source": 8, "id": 100, "adds": []any{map[string]any{"rule": css, "index": 0}}})
	add(3, map[string]any{"source": 15, "id": 1, "styleIds": []any{1}, "styles": []any{map[string]any{"styleId": 1, "rules": []any{map[string]any{"rule": css, "index": 0}}}}})
	add(3, map[string]any{"source": 10, "family": "g", "buffer": false, "fontSource": fmt.Sprintf("url(http://font.hostile.localhost:%d/f)", port)})
	for range 3 {
		add(3, map[string]any{"source": 1, "positions": []any{map[string]any{"x": 1, "y": 1, "id": 4, "timeOffset": 0}}})
	}
	return events
}

// TestReplayContactsNobody replays a hostile recording in a Chromium without any
// wall of the product's, on the page of `sidecar replay` and as an export: no name is
// looked up and nothing is opened.
func TestReplayContactsNobody(t *testing.T) {
	t.Parallel()
	// Only the full browser acts on hints such as preconnect.
	binary, err := chrome.Find(t.Context(), chrome.Want{Chromium: proto.ChromiumFull})
	if err != nil {
		t.Fatal(err)
	}
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	came := make(chan struct{}, 1000)
	go func() {
		for {
			c, err := target.Accept()
			if err != nil {
				return
			}
			came <- struct{}{}
			c.Close()
		}
	}()
	port := target.Addr().(*net.TCPAddr).Port
	file := filepath.Join(t.TempDir(), "hostile.pillion")
	a, err := archive.Create(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Begin(t.Context(), archive.About{Title: "Hostile"}, time.Now())
	if err == nil {
		err = a.Append(t.Context(), r.ID, "", hostileEvents(port))
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	page, _ := replayOf(t, file)
	export := filepath.Join(openDir(t), "export.html")
	if err := os.WriteFile(export, []byte(fetch(t, page+"export.html", http.StatusOK)), 0o644); err != nil {
		t.Fatal(err)
	}
	// What is not replayed contacts whom it names: the look tells.
	direct := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<link rel=preconnect href='http://control.hostile.localhost:%d'><a href='http://control-name.hostile.localhost:%d/'>x</a><p data-state=ready>", port, port)
	}))
	defer direct.Close()
	if dom, seen := plainly(t, binary.Path, direct.URL); !slices.Contains(seen, "control.hostile.localhost") || len(came) == 0 {
		t.Fatalf("the look sees nothing: %v, %d, %.300s", seen, len(came), dom)
	}
	for len(came) > 0 {
		<-came
	}
	for name, url := range map[string]string{"page": page, "page at its end": page + "#t=999999", "export": "file://" + export, "export at its end": "file://" + export + "#t=999999"} {
		dom, seen := plainly(t, binary.Path, url)
		if !strings.Contains(dom, `data-state="ready"`) || !strings.Contains(dom, "replayer-wrapper") {
			t.Errorf("the %s does not replay: %.2000s", name, dom)
		}
		if len(seen) > 0 || len(came) > 0 {
			t.Errorf("the %s contacts %v, %d connections", name, seen, len(came))
		}
	}
}

// openDir is a directory that every user can read.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pillion-open-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

var hostileNames = regexp.MustCompile(`[a-z-]+\.hostile\.localhost`)

// plainly opens a page in a Chromium as people have it and gives what became of the
// page and which hostile names the browser's network layer was asked about.
func plainly(t *testing.T, chromium, url string) (dom string, seen []string) {
	t.Helper()
	dir := openDir(t)
	log := filepath.Join(dir, "net.json")
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--disable-gpu", "--no-first-run", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--no-proxy-server", "--log-net-log="+log, "--virtual-time-budget=3000", "--dump-dom", url)
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	net, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen = hostileNames.FindAllString(string(net), -1)
	slices.Sort(seen)
	return string(out), slices.Compact(seen)
}
