//go:build linux

package attack

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// stranger is what an attempt has: a sidecar whose app is against it, in a world
// full of traps.
type stranger struct {
	*scene
	site *hostile
}

// attempt is one that is no case of the set: something that a stranger would try
// with the built product at hand. docs/attempts.md tells what came of each.
type attempt struct {
	id   string
	what string
	run  func(t *testing.T, s *stranger)
}

// quick says whether it is tried without being asked for everything: those that
// need no page, and two that do.
func (a attempt) quick() bool {
	return strings.Contains("BNH", a.id[:1]) || a.id == "P02" || a.id == "P07"
}

func attempts() []attempt {
	return slices.Concat(pageAttempts(), agentAttempts(), borderAttempts(), neighbourAttempts(), hostAttempts())
}

// TestAttempts runs them one after the other against one sidecar for each browser.
func TestAttempts(t *testing.T) {
	w := newWorld(t)
	if w == nil {
		t.Skip("not run here: it " + os.Getenv(noWorldEnv))
	}
	site := serveHostile(t)
	flavours := []string{"shell"}
	if full() {
		flavours = append(flavours, "full")
	}
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) {
			s := &stranger{&scene{world: w, flavour: flavour, appHost: hostileHost}, site}
			s.begin(t, liveConfig())
			for _, a := range attempts() {
				if !full() && !a.quick() {
					continue
				}
				t.Run(a.id, func(t *testing.T) {
					before := mark(w)
					t.Log(a.what)
					a.run(t, s)
					s.silent(t, before)
				})
			}
			before := mark(w)
			time.Sleep(settleLate)
			s.silent(t, before)
		})
	}
}

// TestAttemptsAreWrittenDown: each attempt has its line in the list, and each line
// its attempt.
func TestAttemptsAreWrittenDown(t *testing.T) {
	text, err := os.ReadFile("../../docs/attempts.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, tried []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z]\d\d) \|`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, m[1])
	}
	for _, a := range attempts() {
		tried = append(tried, a.id)
	}
	slices.Sort(listed)
	slices.Sort(tried)
	if listed = slices.Compact(listed); !slices.Equal(listed, tried) {
		t.Errorf("listed are %v\ntried are %v", listed, tried)
	}
}

// silent: nothing went to loopback, nothing that is not TCP left, and whatever
// reached a public server was for one that the attempts may reach.
func (s *stranger) silent(t *testing.T, before moment) {
	t.Helper()
	for _, a := range s.world.near.since(before.near, nil) {
		t.Errorf("arrived: %v", a)
	}
	for _, a := range s.world.far.since(before.far, func(a arrival) bool { return a.line != "" && !strings.Contains(a.host, ".public.test") }) {
		t.Errorf("arrived: %v", a)
	}
	for _, p := range s.world.tap.since(before.tap, datagrams) {
		t.Errorf("left: %v", p)
	}
	for _, r := range s.site.requests() {
		for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "Authorization", "Via", "X-Forwarded-For", "Forwarded"} {
			if v := r.Header.Get(name); v != "" {
				t.Errorf("the app was told %s: %s", name, v)
			}
		}
	}
}

//go:embed js/attempts.js
var attemptsScript string

//go:embed js/grants.js
var grantsScript string

// function is a script of a file without the comment before it.
func function(script string) string {
	_, script, _ = strings.Cut(script, "\nasync ")
	return "async " + script
}

// refusedConnection waits until the sidecar has told that it refused to connect.
func (s *stranger) refusedConnection(t *testing.T, target string) {
	t.Helper()
	apptest.Await(t, "the refusal of "+target, func() bool {
		return slices.ContainsFunc(s.p.Events(), func(ev proto.Event) bool {
			return ev.Type == "refused" && strings.HasPrefix(fmt.Sprint(ev.Detail["target"]), target)
		}) ||
			strings.Contains(s.p.Stderr(), "port="+target[strings.LastIndex(target, ":")+1:])
	})
}

// tryAll has the page try every way to load from a place; what each said.
func (s *stranger) tryAll(t *testing.T, base string) (said map[string]string) {
	t.Helper()
	c := s.open(t, "/head")
	text := evaluate(t, c, strings.ReplaceAll(function(attemptsScript), "URL_HERE", quoted(base)))
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	return said
}

func pageAttempts() []attempt {
	own := func(s *stranger) string { return fmt.Sprintf("http://127.0.0.1:%d/", s.p.Ready.Port) }
	return []attempt{
		// First, while each refusal is still told: later there have been too many of them.
		{"P07", "a page asks the sidecar itself, with the token it was told", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			before := socketsTo(s.p.PID, s.p.Ready.Port)
			for _, base := range []string{own(s), strings.Replace(own(s), "127.0.0.1", "localhost", 1), strings.Replace(own(s), "127.0.0.1", "[::1]", 1)} {
				said := evaluate(t, c, `() => fetch('`+base+`mcp', {method: 'POST', headers: {Authorization: 'Bearer `+apptest.Token+`'}, body: '{}'}).then((r) => r.type, () => 'failed')`)
				if said += loadBy(t, c, base+"live", "socket", "frame", "fetch", "redirected"); strings.Contains(said, `"open"`) {
					t.Errorf("%s: %s", base, said)
				}
			}
			if n := socketsTo(s.p.PID, s.p.Ready.Port); n > before {
				t.Errorf("the sidecar has %d connections, and had %d", n, before)
			}
			s.refusedConnection(t, fmt.Sprintf("127.0.0.1:%d", s.p.Ready.Port))
		}},
		{"P01", "a page asks a public server in every odd way: which of them are loud at all", func(t *testing.T, s *stranger) {
			before := s.world.far.mark()
			said := s.tryAll(t, "http://odd-"+s.flavour+".public.test/")
			time.Sleep(settleLate)
			loud := map[string]bool{}
			for _, a := range s.world.far.since(before, asked("odd-"+s.flavour)) {
				if a.line != "" {
					loud[a.line[strings.LastIndex(a.line, "/")+1:]] = true
				}
			}
			for way, text := range said {
				t.Logf("%-18s loud %-5v %.100s", way, loud[way], text)
			}
			if len(loud) < 15 {
				t.Errorf("only %d of %d ways reach a server that is open: %v", len(loud), len(said), loud)
			}
		}},
		{"P02", "a page asks a service on loopback in every odd way", func(t *testing.T, s *stranger) { s.tryAll(t, "http://127.0.0.1:9001/") }},
		{"P03", "…by IPv6", func(t *testing.T, s *stranger) { s.tryAll(t, "http://[::1]:9001/") }},
		{"P04", "…on the machine's own address", func(t *testing.T, s *stranger) { s.tryAll(t, "http://"+nearAddr+":9001/") }},
		{"P05", "…by a name that is public first and loopback then", func(t *testing.T, s *stranger) {
			s.world.names.set("odd-flip.dns.test", "127.0.0.1")
			s.tryAll(t, "http://odd-flip.dns.test:9001/")
		}},
		{"P06", "…by the machine's own names", func(t *testing.T, s *stranger) {
			name, err := os.Hostname()
			if err != nil {
				t.Fatal(err)
			}
			c := s.open(t, "/head")
			for _, host := range []string{name, "ip6-localhost", "ip6-loopback", "localhost.localdomain", name + ".local"} {
				t.Logf("%s: %s", host, loadBy(t, c, "http://"+host+":9001/", "fetch", "image", "socket"))
			}
		}},
		{"P08", "the app sends a request for itself on to the sidecar", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			for _, code := range []string{"307", "308", "302"} {
				got := evaluate(t, c, `() => fetch('/head?code=`+code+`&h=' + encodeURIComponent('Location: `+own(s)+`health'), {method: 'POST', body: 'x'}).then((r) => r.type + r.status, () => 'failed')`)
				if got != `"failed"` {
					t.Errorf("%s: %s", code, got)
				}
			}
		}},
		{"P09", "the app asks for the proxy's credentials, as a server and as a proxy", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			for _, realm := range []string{`Basic realm="sandbox browser"`, "Basic", "Digest realm=x, nonce=y", "NTLM", "Negotiate"} {
				for _, field := range []string{"401&h=WWW-Authenticate: ", "407&h=Proxy-Authenticate: "} {
					url := "/head?code=" + strings.Replace(field+realm, `"`, "%22", -1)
					said := evaluate(t, c, `() => Promise.race([fetch(`+quoted(url)+`).then((r) => r.status, String), new Promise((ok) => setTimeout(() => ok('waits'), 3000))])`)
					asks := s.flavour == "full" && said == `"waits"` // for a person, who is not there
					if want := map[bool]string{true: "401", false: "502"}[strings.HasPrefix(field, "401")]; said != want && !asks {
						t.Errorf("%s: %s", url, said)
					}
				}
			}
			c.Call("browser_navigate", apptest.Args{"url": "/head?code=401&h=WWW-Authenticate: Basic realm=%22sandbox browser%22"})
		}},
		{"P10", "a page sends the fields that are the browser's and the proxy's, and methods of tunnels", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			for _, name := range []string{"Proxy-Authorization", "Connection", "Transfer-Encoding", "Content-Length", "Host", "Via", "TE", "Upgrade", "Sec-Purpose", "Keep-Alive", "Proxy-Connection", "Origin", "Cookie"} {
				got := evaluate(t, c, `() => fetch('/echo', {headers: {`+quoted(name)+`: 'stranger'}}).then((r) => r.text(), String)`)
				if strings.Contains(got, "stranger") {
					t.Errorf("%s arrives: %s", name, got)
				}
			}
			for _, method := range []string{"CONNECT", "TRACE", "TRACK", "connect", "GET /x HTTP/1.1\\r\\nX:"} {
				if got := evaluate(t, c, `() => fetch('/echo', {method: '`+method+`'}).then((r) => r.status, () => 'failed')`); got != `"failed"` {
					t.Errorf("%s: %s", method, got)
				}
			}
			for _, bad := range []string{`new WebSocket('ws://` + hostileHost + `/', ['a\r\nX: y'])`, `new Headers({'a\nb': 'c'})`, `new Headers({a: 'c\r\nd: e'})`} {
				if got := evaluate(t, c, `() => { try { `+strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(bad)+`; return 'made' } catch (e) { return 'threw' } }`); got != `"threw"` {
					t.Errorf("%s: %s", bad, got)
				}
			}
		}},
		{"P11", "a page asks for the camera, files, devices and everything else that is a person's", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			got := c.Call("browser_evaluate", apptest.Args{"function": function(grantsScript)})
			for strings.Contains(got.Text, "### Modal state") { // a file chooser
				t.Logf("modal: %.200s", got.Text)
				c.Call("browser_file_upload", apptest.Args{"paths": []string{}})
				got = c.Call("browser_evaluate", apptest.Args{"function": "() => 0"})
			}
			// The chooser is the agent's to answer; what the page got is told then.
			given := ""
			apptest.Await(t, "the end of the asking", func() bool { given = evaluate(t, c, "() => window.given"); return given != "undefined" })
			if given != `""` {
				t.Errorf("the page was given %s", given)
			}
		}},
		{"P12", "a page goes to the browser's own pages and to files, in every way that opens something", func(t *testing.T, s *stranger) {
			for _, url := range []string{"file:///etc/passwd", "view-source:file:///etc/passwd", "view-source:" + s.origin() + "/head", "filesystem:" + s.origin() + "/temporary/x", "chrome://version", "chrome-untrusted://x", "devtools://devtools/bundled/inspector.html", "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html", "about:version", "jar:file:///x!/y", "googlechrome://x", "data:text/html,<title>" + apptest.Mark + "</title>", "isolated-app://x", "externalfile:x", "content://x", "cid:x"} {
				c := s.open(t, "/head")
				script := `async () => { const u = ` + quoted(url) + `; const out = []; const tries = [() => open(u), () => { location = u }, () => { const f = document.createElement('iframe'); f.src = u; document.body.append(f) }, () => { const f = document.createElement('form'); f.action = u; document.body.append(f); f.submit() }, () => { const a = document.createElement('a'); a.href = u; a.target = '_blank'; document.body.append(a); a.click() }, () => { const o = document.createElement('object'); o.data = u; document.body.append(o) }, () => { const a = document.createElement('a'); a.href = u; a.download = 'x'; document.body.append(a); a.click() }, () => fetch(u).then((r) => r.text()).then((x) => out.push(x))]; for (const f of tries) { try { await f() } catch (e) { } } await new Promise((ok) => setTimeout(ok, 300)); return [out, frames.length].join() }`
				got := c.Call("browser_evaluate", apptest.Args{"function": script})
				if strings.Contains(got.Text, "root:x") || strings.Contains(got.Text, "Command Line") {
					t.Errorf("%s: %.300s", url, got.Text)
				}
				if url != "about:version" { // any about: page is a blank one for a page that opens it
					s.onApp(t, c)
				}
				if snapshot := c.Call("browser_snapshot", nil).Text; strings.Contains(snapshot, "root:x") || strings.Contains(snapshot, apptest.Mark) {
					t.Errorf("%s: %.300s", url, snapshot)
				}
			}
			if got := evaluate(t, s.open(t, "/head"), "() => { const w = open('about:version'); return w && w.document.documentElement.outerHTML }"); got != `"<html><head></head><body></body></html>"` && got != "null" {
				t.Errorf("about:version shows %s", got)
			}
		}},
		{"P14", "a page measures how long refusals take, to learn which ports of the machine are open", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			text := evaluate(t, c, `async () => {
				const of = {open: [], closed: []};
				for (let i = 0; i < 150; i++) for (const [name, port] of [['open', 9001], ['closed', 9002]]) {
					const begin = performance.now();
					await fetch('http://127.0.0.1:' + port + '/', {mode: 'no-cors'}).then((r) => r.text(), () => 0);
					of[name].push(performance.now() - begin);
				}
				const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
				return [median(of.open), median(of.closed)];
			}`)
			var medians [2]float64
			if err := json.Unmarshal([]byte(text), &medians); err != nil {
				t.Fatal(err)
			}
			if d := medians[0] - medians[1]; d > 5 || d < -5 {
				t.Errorf("an open port takes %v ms, a closed one %v", medians[0], medians[1])
			}
		}},
		{"P13", "an answer that never ends, packed: as a page and as a file", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			before := rss(s.p.PID)
			c.Call("browser_evaluate", apptest.Args{"function": `() => Promise.race([fetch('/bomb').then((r) => r.text()).then((x) => x.length, String), new Promise((ok) => setTimeout(() => ok('reads on'), 2000))])`})
			c.Call("browser_evaluate", apptest.Args{"function": `() => { const a = document.createElement('a'); a.href = '/bomb?name=bomb.bin&type=application/octet-stream'; a.download = ''; document.body.append(a); a.click() }`})
			apptest.Await(t, "the end of the download", func() bool {
				return strings.Contains(c.Call("browser_tabs", apptest.Args{"action": "list"}).Text+s.p.Stderr(), "bomb")
			})
			if grown := rss(s.p.PID) - before; grown > 64<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
			t.Logf("disk: %v", sizes(t, s.p.Workdir))
		}},
	}
}

// sizes are the bytes below a directory, by its first level.
func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		found[e.Name()] = size(dir + "/" + e.Name())
	}
	return found
}

func size(path string) (n int64) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		if err == nil {
			n = info.Size()
		}
		return n
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		n += size(path + "/" + e.Name())
	}
	return n
}
