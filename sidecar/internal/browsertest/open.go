package browsertest

import (
	"context"
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

// patience is far above what any step takes, so that only a fault reaches it.
const patience = 30 * time.Second

// Main is a package's TestMain. The test binary plays the sidecar's helpers, too.
func Main(m *testing.M) { testMain(m) }

func testMain(m *testing.M, atEnd ...func() error) {
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if code, handled := janitor.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	apptest.Main(m, atEnd...)
}

// flavour is the Chromium of tests that do not mind which: "shell", "full", or
// what a session would get.
func flavour() string { return os.Getenv("PILLION_TEST_CHROMIUM") }

// Open starts a browser for the site with every wall that the product has.
func Open(t testing.TB, site *apptest.Site, change ...func(*browser.Options)) *browser.Browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	app, err := policy.NewApp(site.URL())
	if err != nil {
		t.Fatal(err)
	}
	var undo undo
	t.Cleanup(func() {
		if err := undo.run(); err != nil {
			t.Error(err)
		}
	})
	l, err := launch(ctx, &undo)
	if err != nil {
		t.Fatal(err)
	}
	credentials := egress.Credentials{User: proto.NewSecret("browser"), Password: proto.NewSecret("under test")}
	proxy := egress.New(egress.Options{App: app, Credentials: credentials})
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(l.seat.Listener()) }()
	undo.add(func() error { proxy.Close(); return <-served })
	conn, process, err := l.start(ctx, &undo)
	if err != nil {
		t.Fatal(err)
	}
	o := browser.Options{
		Conn: conn, Pin: app, Viewport: proto.Viewport{Width: proto.DefaultViewportWidth, Height: proto.DefaultViewportHeight},
		ProxyUser: credentials.User, ProxyPassword: credentials.Password,
	}
	for _, c := range change {
		c(&o)
	}
	b, err := browser.Start(ctx, o)
	if err != nil {
		t.Fatal(process.Explain(err))
	}
	return b
}

// undo is what a start made, to be taken back in reverse.
type undo struct{ steps []func() error }

func (u *undo) add(f func() error) { u.steps = append(u.steps, f) }

func (u *undo) run() (first error) {
	for len(u.steps) > 0 {
		last := u.steps[len(u.steps)-1]
		u.steps = u.steps[:len(u.steps)-1]
		if err := last(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// launched is a place for a Chromium.
type launched struct{ seat *chrome.Seat }

func launch(ctx context.Context, undo *undo) (*launched, error) {
	binary, err := chrome.Find(ctx, chrome.Want{Chromium: flavour()})
	if err != nil {
		return nil, err
	}
	user, err := chrome.PickUser()
	if err != nil {
		return nil, err
	}
	undo.add(user.Close)
	dirs, err := janitor.Open(janitor.Options{UID: user.UID, GID: user.GID, Hold: user.Hold()})
	if err != nil {
		return nil, err
	}
	undo.add(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return dirs.Remove(ctx)
	})
	seat, err := chrome.Prepare(ctx, chrome.Options{Binary: binary, User: user, Profile: dirs.Profile, Home: dirs.Home, Tmp: dirs.Tmp})
	if err != nil {
		return nil, err
	}
	undo.add(seat.Close)
	return &launched{seat}, nil
}

func (l *launched) start(ctx context.Context, undo *undo) (*cdp.Conn, *chrome.Process, error) {
	process, err := l.seat.Start(ctx, l.seat.Listener().Addr().String())
	if err != nil {
		return nil, nil, err
	}
	conn := cdp.New(process.Transport())
	undo.add(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := process.Stop(ctx)
		conn.Close()
		return err
	})
	return conn, process, nil
}

// Eval runs an expression in the page's own world of a frame and returns its
// value as JSON.
func Eval(t testing.TB, f *browser.Frame, expression string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
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
	return string(browser.RemoteJSON(res.Result))
}
