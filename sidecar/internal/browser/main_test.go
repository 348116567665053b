package browser_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/egress"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

func TestMain(m *testing.M) {
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if code, handled := janitor.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	apptest.Main(m)
}

// patience is far above what any step takes, so that only a fault reaches it.
const patience = 30 * time.Second

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// open starts a browser for the site, with every wall that the product has.
func open(t *testing.T, site *apptest.Site, change ...func(*browser.Options)) *browser.Browser {
	t.Helper()
	ctx := within(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	app, err := policy.NewApp(site.URL())
	must(err)
	binary, err := chrome.Find(ctx, chrome.Want{Chromium: chrome.Shell})
	must(err)
	user, err := chrome.PickUser()
	must(err)
	dirs, err := janitor.Open(janitor.Options{UID: user.UID, GID: user.GID, Hold: user.Hold()})
	must(err)
	seat, err := chrome.Prepare(ctx, chrome.Options{Binary: binary, User: user, Profile: dirs.Profile})
	must(err)
	credentials := egress.Credentials{User: proto.NewSecret("browser"), Password: proto.NewSecret("under test")}
	proxy := egress.New(egress.Options{App: app, Credentials: credentials})
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(seat.Listener()) }()
	process, err := seat.Start(ctx, seat.Listener().Addr().String())
	must(err)
	dirs.Watch(process.PID())
	conn := cdp.New(process.Transport())
	t.Cleanup(func() {
		conn.Close()
		stop, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for _, err := range []error{process.Stop(stop), func() error { proxy.Close(); return <-served }(), seat.Close(), dirs.Remove(stop), user.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	o := browser.Options{
		Conn: conn, Pin: app, Viewport: proto.Viewport{Width: 1280, Height: 800},
		ProxyUser: credentials.User, ProxyPassword: credentials.Password,
	}
	for _, c := range change {
		c(&o)
	}
	b, err := browser.Start(ctx, o)
	must(err)
	return b
}

// eval runs an expression in the page's own world of a frame.
func eval(t *testing.T, f *browser.Frame, expression string) string {
	t.Helper()
	ctx := within(t)
	yes := true
	res, err := pcdp.Call(ctx, f.Session(), runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: f.MainWorld(), ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	})
	if err != nil {
		t.Fatalf("evaluate %s: %v", expression, err)
	}
	if res.ExceptionDetails != nil {
		t.Fatalf("evaluate %s: %v", expression, browser.Thrown(res.ExceptionDetails))
	}
	return string(json.RawMessage(browser.RemoteJSON(res.Result)))
}

func goTo(t *testing.T, tab *browser.Tab, url string) {
	t.Helper()
	if _, err := tab.Navigate(within(t), url); err != nil {
		t.Fatalf("navigate to %s: %v", url, err)
	}
}
