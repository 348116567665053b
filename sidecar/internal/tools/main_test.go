package tools_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/egress"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
	"github.com/pillion-browser/pillion/sidecar/internal/tools"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
	"github.com/pillion-browser/pillion/testdata/app"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		os.Exit(m.Run()) // its workers are processes that end as they are
	}
	// The tests that run side by side spend their time waiting.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	browsertest.Main(m)
}

// patience is far above what any step takes, so that only a fault reaches it.
const patience = 50 * time.Second

// bench is an agent's session with the tools of a browser of its own, behind all
// the walls of the product, and a site to use them on.
type bench struct {
	t     *testing.T
	kit   *tools.Kit
	set   *tools.Set
	b     *browser.Browser
	store *files.Store
	dirs  *janitor.Session
	mux   *http.ServeMux
	url   string // of the site: the test's own pages, and behind them the shop
	pages *atomic.Int64
}

type args map[string]any

// result is a tool's answer.
type result struct {
	text    string
	isError bool
	images  []*sdk.ImageContent
}

// open starts a browser with every tool, and change as the launch has it.
func open(t *testing.T, change ...func(*tools.Options, *files.Limits)) *bench {
	t.Helper()
	w := &bench{t: t, mux: http.NewServeMux(), pages: new(atomic.Int64)}
	shop := app.New()
	w.mux.Handle("/", shop)
	server := httptest.NewServer(w.mux)
	w.url = server.URL
	w.later(func() error { server.CloseClientConnections(); server.Close(); shop.Close(); return nil })

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	pin, err := policy.NewApp(server.URL)
	w.must(err)
	binary, err := chrome.Find(ctx, chrome.Want{Chromium: os.Getenv("PILLION_TEST_CHROMIUM")})
	w.must(err)
	user, err := chrome.PickUser()
	w.must(err)
	w.later(user.Close)
	w.dirs, err = janitor.Open(janitor.Options{UID: user.UID, GID: user.GID, Hold: user.Hold()})
	w.must(err)
	w.later(func() error { return w.dirs.Remove(context.Background()) })
	options := tools.Options{Capabilities: []string{"testing", "vision", "pdf"}, Events: &event.Stream{}}
	var limits files.Limits
	for _, c := range change {
		c(&options, &limits)
	}
	w.store, err = files.Open(files.Options{
		Uploads: w.dirs.Uploads, Output: w.dirs.Output, Profile: w.dirs.Profile, UID: user.UID, GID: user.GID, Limits: limits,
	})
	w.must(err)
	w.later(func() error { w.store.Close(); return nil })
	seat, err := chrome.Prepare(ctx, chrome.Options{Binary: binary, User: user, Profile: w.dirs.Profile, Home: w.dirs.Home, Tmp: w.dirs.Tmp})
	w.must(err)
	w.later(seat.Close)
	credentials := egress.Credentials{User: proto.NewSecret("browser"), Password: proto.NewSecret("under test")}
	proxy := egress.New(egress.Options{App: pin, Credentials: credentials})
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(seat.Listener()) }()
	w.later(func() error { proxy.Close(); return <-served })
	process, err := seat.Start(ctx, seat.Listener().Addr().String())
	w.must(err)
	w.dirs.Watch(process.PID())
	conn := cdp.New(process.Transport())
	w.later(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := process.Stop(ctx)
		conn.Close()
		return err
	})
	w.b, err = browser.Start(ctx, browser.Options{
		Conn: conn, Pin: pin, Viewport: proto.Viewport{Width: 1280, Height: 800}, Events: options.Events,
		ProxyUser: credentials.User, ProxyPassword: credentials.Password,
	})
	w.must(err)
	options.Browser, options.Files = w.b, w.store
	w.kit, err = tools.New(options)
	w.must(err)
	storing := make(chan error, 1)
	stop, end := context.WithCancel(context.Background())
	go func() { storing <- w.kit.StoreDownloads(stop) }()
	w.later(func() error { end(); return <-storing })
	w.must(w.kit.OpenApp(ctx, "about:blank"))
	w.set = w.kit.NewSet()
	return w
}

func (w *bench) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// later runs f at the test's end, the last one first.
func (w *bench) later(f func() error) {
	w.t.Cleanup(func() {
		if err := f(); err != nil {
			w.t.Error(err)
		}
	})
}

// agent is another session with the same browser, in a tab of its own.
func (w *bench) agent(t *testing.T) *bench {
	t.Helper()
	other := *w
	other.t, other.set = t, w.kit.NewSet()
	other.ok("browser_tabs", args{"action": "new"})
	return &other
}

func (w *bench) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	w.t.Cleanup(cancel)
	return ctx
}

// call runs a tool.
func (w *bench) call(name string, a args) result {
	w.t.Helper()
	return w.callIn(w.within(patience), name, a)
}

func (w *bench) callIn(ctx context.Context, name string, a args) result {
	w.t.Helper()
	raw, err := json.Marshal(a)
	w.must(err)
	return read(w.t, w.set.Call(ctx, name, raw))
}

func read(t *testing.T, res *sdk.CallToolResult) result {
	t.Helper()
	r := result{isError: res.IsError}
	for i, c := range res.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			if i > 0 {
				t.Error("a text is not the first part")
			}
			r.text = c.Text
		case *sdk.ImageContent:
			r.images = append(r.images, c)
		}
	}
	if r.isError != strings.HasPrefix(r.text, "### Error\n") {
		t.Errorf("isError %v with the text\n%s", r.isError, r.text)
	}
	return r
}

// ok runs a tool that must not fail and returns its text.
func (w *bench) ok(name string, a args) string {
	w.t.Helper()
	r := w.call(name, a)
	if r.isError {
		w.t.Fatalf("%s %v: %s", name, a, r.text)
	}
	return r.text
}

// fails runs a tool that must fail with each of the words.
func (w *bench) fails(name string, a args, words ...string) string {
	w.t.Helper()
	r := w.call(name, a)
	if !r.isError {
		w.t.Errorf("%s %v: no error, but\n%s", name, a, r.text)
	}
	w.has(r.text, words...)
	return r.text
}

// has checks that text has each of the words.
func (w *bench) has(text string, words ...string) {
	w.t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			w.t.Errorf("there is no %q in\n%s", word, text)
		}
	}
}

// lacks checks that text has none of the words.
func (w *bench) lacks(text string, words ...string) {
	w.t.Helper()
	for _, word := range words {
		if strings.Contains(text, word) {
			w.t.Errorf("there is %q in\n%s", word, text)
		}
	}
}

// serve answers a path with a page.
func (w *bench) serve(path, body string) {
	w.mux.HandleFunc(path, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, "<!doctype html><meta charset=utf-8><title>T</title>", strings.ReplaceAll(body, "{other}", w.other()))
	})
}

// other is the site under its other name: for Chromium another site.
func (w *bench) other() string { return strings.Replace(w.url, "127.0.0.1", "localhost", 1) }

// show opens a page of its own and returns the answer.
func (w *bench) show(body string) string {
	w.t.Helper()
	path := fmt.Sprintf("/page/%d", w.pages.Add(1))
	w.serve(path, body)
	return w.ok("browser_navigate", args{"url": w.url + path})
}

// visit opens a path of the site.
func (w *bench) visit(path string) string {
	w.t.Helper()
	return w.ok("browser_navigate", args{"url": w.url + path})
}

// snapshot is the page as it is now.
func (w *bench) snapshot() string {
	w.t.Helper()
	return w.ok("browser_snapshot", nil)
}

// ref finds an element in a snapshot by what its line starts with after the
// dash.
func (w *bench) ref(text, element string) string {
	w.t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "- "+element); ok {
			if _, after, ok := strings.Cut(rest, "[ref="); ok {
				ref, _, _ := strings.Cut(after, "]")
				return ref
			}
		}
	}
	w.t.Fatalf("no %s in\n%s", element, text)
	return ""
}

// js evaluates in the current tab of the session and returns the JSON.
func (w *bench) js(function string) string {
	w.t.Helper()
	text := w.ok("browser_evaluate", args{"function": function})
	text, _ = strings.CutPrefix(text, "### Result\n")
	text, _, _ = strings.Cut(text, "\n### ")
	return text
}

// upload puts a file into the uploads directory.
func (w *bench) upload(name, content string) {
	w.t.Helper()
	w.must(os.WriteFile(filepath.Join(w.dirs.Uploads, name), []byte(content), 0o600))
}

// section is what stands under a heading; "" when it is not there.
func section(text, title string) string {
	for part := range strings.SplitSeq("\n"+text, "\n### ") {
		if rest, ok := strings.CutPrefix(part, title+"\n"); ok {
			return rest
		}
	}
	return ""
}

func await(t *testing.T, what string, fact func() bool) {
	t.Helper()
	apptest.Await(t, what, fact)
}

func evalIn(t *testing.T, f *browser.Frame, expression string) string {
	t.Helper()
	return browsertest.Eval(t, f, expression)
}
