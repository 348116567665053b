//go:build linux

package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// agentAttempts are what an agent can be talked into, and what pages do to what
// an agent is told.
func agentAttempts() []attempt {
	return []attempt{
		{"A01", "a script of the agent's that ends early, and goes on as something else", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			for _, function := range []string{
				"() => 1); location = 'http://out.evil.test/'; (", "() => 1}); fetch('http://127.0.0.1:9001/'); ({", "`${fetch('http://127.0.0.1:9001/')}`", "() => { return 1 } //# sourceURL=x\n; open('http://out.evil.test/')",
				"async () => { const m = await import('http://127.0.0.1:9001/x.js'); return m }", "() => import('node:fs')", "() => process.env", "() => require('fs').readFileSync('/etc/passwd', 'utf8')", "() => this.constructor.constructor('return process')()",
				"() => Deno.readTextFileSync('/etc/passwd')", "() => chrome.debugger", "() => window.cdp || window.__pw || window.pillion", "\u2028() => 1", "() => 1\u0000",
			} {
				got := c.Call("browser_evaluate", apptest.Args{"function": function})
				if strings.Contains(got.Text, "root:") || strings.Contains(got.Text, "PATH") {
					t.Errorf("%q: %.200s", function, got.Text)
				}
				t.Logf("%.60q: %v %.120q", function, got.IsError, got.Text)
			}
			s.onApp(t, c)
		}},
		{"A02", "a page that has broken the language under the tools' scripts", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head?body=<button>Press</button><label>Name <input></label><select><option>one<option>two</select>")
			evaluate(t, c, `() => {
				const boom = () => { throw new Error('boom') };
				for (const f of ['map', 'push', 'filter', 'forEach', 'join', 'slice', 'includes', 'concat']) Array.prototype[f] = boom;
				for (const f of ['get', 'set', 'has', 'delete']) { Map.prototype[f] = boom; WeakMap.prototype[f] = boom; Set.prototype[f] = boom; }
				JSON.stringify = JSON.parse = () => '"forged"'; Promise.prototype.then = boom; window.Promise = boom; window.MutationObserver = boom;
				Object.prototype.toJSON = () => 'forged'; Object.defineProperty(Object.prototype, 'isError', {get: () => 'forged', set() {}}); Object.prototype.text = 'forged';
				document.querySelector = document.querySelectorAll = document.createTreeWalker = document.elementFromPoint = boom;
				for (const f of ['getBoundingClientRect', 'matches', 'closest', 'getAttribute', 'scrollIntoView', 'focus', 'click', 'dispatchEvent', 'attachShadow']) Element.prototype[f] = HTMLElement.prototype[f] = boom;
				Object.defineProperty(Node.prototype, 'textContent', {get: () => 'forged'}); Object.defineProperty(Node.prototype, 'childNodes', {get: boom}); Object.defineProperty(HTMLInputElement.prototype, 'value', {get: () => 'forged', set: boom});
				Function.prototype.call = Function.prototype.apply = Function.prototype.bind = boom; window.getComputedStyle = boom; window.requestAnimationFrame = () => 0; window.setTimeout = () => 0;
			}`)
			snapshot := c.Must("browser_snapshot", nil)
			if !strings.Contains(snapshot, `button "Press"`) || strings.Contains(snapshot, "forged") {
				t.Errorf("the snapshot: %s", snapshot)
			}
			c.Must("browser_type", apptest.Args{"target": c.Ref(snapshot, `textbox "Name"`), "text": "typed"})
			if after := c.Must("browser_snapshot", nil); !strings.Contains(after, "typed") || strings.Contains(after, "forged") {
				t.Errorf("after typing: %s", after)
			}
			c.Must("browser_click", apptest.Args{"target": c.Ref(c.Must("browser_snapshot", nil), `button "Press"`)})
			// What a script of the agent's gives is the page's word; it is one, whatever it says.
			if got := c.Call("browser_evaluate", apptest.Args{"function": "() => 7"}).Text; !strings.Contains(got, "### Result\n\"forged\"") {
				t.Errorf("evaluate: %s", got)
			}
		}},
		{"A03", "a page's words with escapes of terminals, and letters that turn the line round", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			evaluate(t, c, `() => { const x = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202emoc.live\u2066\u0000\b\u007f'; document.title = x; console.error(x); document.body.innerHTML = '<button></button>'; document.querySelector('button').textContent = x; history.replaceState(0, '', '#' + x) }`)
			for _, tool := range []string{"browser_snapshot", "browser_console_messages", "browser_network_requests"} {
				got := c.Call(tool, apptest.Args{}).Text + c.Must("browser_tabs", apptest.Args{"action": "list"})
				for _, r := range got {
					if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
						t.Errorf("%s: the answer has %U: %.300q", tool, r, got)
						break
					}
				}
			}
			evaluate(t, c, `() => { setTimeout(() => alert('\u001b[2J\u202eevil')) }`)
			apptest.Await(t, "the dialog", func() bool { return strings.Contains(c.Call("browser_snapshot", nil).Text, "### Modal state") })
			if got := c.Call("browser_snapshot", nil).Text; strings.ContainsAny(got, "\x1b\u202e") {
				t.Errorf("the dialog: %q", got)
			}
			c.Call("browser_handle_dialog", apptest.Args{"accept": true})
			if strings.ContainsAny(s.p.Stderr(), "\x1b\u202e") {
				t.Error("the log has escapes")
			}
		}},
		{"A04", "a download whose name is a path, a line, a device, or hidden", func(t *testing.T, s *stranger) {
			// Of its own: others have left downloads that never end.
			s = &stranger{&scene{world: s.world, flavour: s.flavour, appHost: hostileHost}, s.site}
			s.begin(t)
			c := s.open(t, "/head")
			for _, name := range []string{"../../../etc/cron.d/x", "..%2f..%2fx", ".bashrc", "a\nb", "CON", strings.Repeat("x", 400) + ".txt", "x\u202etxt.exe", "-rf", "a/b\\c", "### Result.txt"} {
				before := tree(t, s.p.Workdir)
				evaluate(t, c, `() => { const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'])); a.download = `+quoted(name)+`; document.body.append(a); a.click() }`)
				apptest.Await(t, "the download of "+name, func() bool { return len(tree(t, s.p.Workdir)) > len(before) })
				for path := range tree(t, s.p.Workdir) {
					if before[path] {
						continue
					}
					base := filepath.Base(path)
					if !strings.HasPrefix(path, "output-") || strings.HasPrefix(base, ".") && !strings.HasPrefix(base, ".download-") || strings.HasPrefix(base, "-") || strings.ContainsFunc(base, unicode.IsControl) || len(base) > 255 {
						t.Errorf("%q came to be %q", name, path)
					}
					t.Logf("%.40q is %.80q", name, path)
				}
			}
			for _, path := range []string{"/etc/cron.d/x", filepath.Join(s.p.Workdir, "x")} {
				if _, err := os.Lstat(path); err == nil {
					t.Errorf("%s is there", path)
				}
			}
		}},
		{"A05", "a file to be uploaded that becomes a link while it is", func(t *testing.T, s *stranger) {
			dir := s.uploads(t)
			outside := filepath.Join(t.TempDir(), "secret.txt")
			path := filepath.Join(dir, "race.txt")
			if err := os.WriteFile(outside, []byte(secret), 0o600); err != nil {
				t.Fatal(err)
			}
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				for {
					select {
					case <-stop:
						return
					default:
					}
					os.WriteFile(path+".new", []byte("fine"), 0o600)
					os.Rename(path+".new", path)
					os.Symlink(outside, path+".link")
					os.Rename(path+".link", path)
					os.Link(outside, path+".hard")
					os.Rename(path+".hard", path)
				}
			}()
			c := s.open(t, `/head?body=<input type=file id=f>`)
			given := 0
			for range 60 {
				c.Call("browser_drop", apptest.Args{"target": "#f", "paths": []string{"race.txt"}})
				got := evaluate(t, c, `async () => (await Promise.all([...f.files].map((x) => x.text()))).join()`)
				if strings.Contains(got, secret) {
					t.Fatal("the secret came out")
				}
				if strings.Contains(got, "fine") {
					given++
				}
			}
			close(stop)
			<-ended
			t.Logf("given %d times", given)
			for _, end := range []string{"", ".new", ".link", ".hard"} {
				os.Remove(path + end)
			}
		}},
		{"A06", "sizes, times and patterns without an end", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head?body=<p>"+strings.Repeat("a", 3000)+"</p>")
			before := rss(s.p.PID)
			evaluate(t, c, `() => { document.body.append(Object.assign(document.createElement('div'), {style: 'width: 60000px; height: 2000000px; background: linear-gradient(red, blue)'})) }`)
			for _, call := range []struct {
				tool string
				args apptest.Args
			}{
				{"browser_take_screenshot", apptest.Args{"fullPage": true}}, {"browser_resize", apptest.Args{"width": 100000, "height": 100000}},
				{"browser_find", apptest.Args{"regex": "(a+)+$b"}}, {"browser_find", apptest.Args{"regex": "(a|a)*(a|a)*(a|a)*(a|a)*c"}}, {"browser_find", apptest.Args{"text": strings.Repeat("a", 1<<20)}},
				{"browser_press_key", apptest.Args{"key": strings.Repeat("Control+", 1000) + "a"}}, {"browser_click", apptest.Args{"target": strings.Repeat("div > ", 20000) + "p"}},
				{"browser_evaluate", apptest.Args{"function": "() => 'x'.repeat(1 << 28)"}}, {"browser_evaluate", apptest.Args{"function": "'x'.repeat(1 << 28)"}},
				{"browser_evaluate", apptest.Args{"function": "() => { throw 'x'.repeat(1 << 28) }"}}, {"browser_evaluate", apptest.Args{"function": "() => { const x = 'x'.repeat(1 << 28); for (let i = 0; i < 4; i++) console.log(x) }"}}, {"browser_evaluate", apptest.Args{"function": "() => { const a = []; a[4294967294] = 1; return a }"}}, {"browser_evaluate", apptest.Args{"function": "() => { let a = 1; for (let i = 0; i < 50000; i++) a = [a]; return a }"}},
			} {
				begin := time.Now()
				got := c.Call(call.tool, call.args)
				t.Logf("%s %.60s: %v in %v, %d bytes, %d pictures: %.200q", call.tool, fmt.Sprint(call.args), got.IsError, time.Since(begin).Round(time.Millisecond), len(got.Text), len(got.Images), got.Text)
				if len(got.Text) > 4<<20 {
					t.Errorf("%s: %d bytes", call.tool, len(got.Text))
				}
			}
			c.Call("browser_resize", apptest.Args{"width": 1280, "height": 800})
			if grown := rss(s.p.PID) - before; grown > 512<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
			s.stillServes(t)
		}},
		{"A07", "the token and the proxy's credentials, looked for in everything that tools tell", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			said := c.Call("browser_navigate", apptest.Args{"url": "/head?" + apptest.Token}).Text
			evaluate(t, c, `() => { console.log('`+apptest.Token+`'); document.title = '`+apptest.Token+`' }`)
			for _, tool := range []string{"browser_console_messages", "browser_network_requests", "browser_snapshot"} {
				said += c.Call(tool, apptest.Args{}).Text
			}
			said += strings.Join(s.p.Stdout(), "") + s.p.Stderr()
			if m := regexp.MustCompile(`(?i)proxy-auth|sandbox browser"|Basic [A-Za-z0-9+/=]{20,}`).FindString(said); m != "" {
				t.Errorf("credentials: %q", m)
			}
			if strings.Contains(s.p.Stderr(), apptest.Token[8:]) {
				t.Error("the log has the token")
			}
		}},
	}
}
