//go:build linux

package attack

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/egress"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// lab is the sidecar's inside in this process, put together as the sidecar does
// it, for what can't be had from outside: a Chromium that shares this process's
// network, and a look at targets.
type lab struct {
	browser *browser.Browser
	conn    *cdp.Conn
	proxy   *egress.Proxy
	process *chrome.Process
	addr    string // the proxy's
}

// labPatience is far above what any step takes.
const labPatience = 60 * time.Second

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), labPatience)
	t.Cleanup(cancel)
	return ctx
}

// openLab starts a browser of the given flavour for an app. With share it stands
// in this process's network, and only its switches and the proxy hold.
func openLab(t *testing.T, app, flavour string, share bool) *lab {
	t.Helper()
	ctx := within(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pin, err := policy.NewApp(app)
	must(err)
	binary, err := chrome.Find(ctx, chrome.Want{Chromium: flavour})
	must(err)
	user, err := chrome.PickUser()
	must(err)
	dirs, err := janitor.Open(janitor.Options{UID: user.UID, GID: user.GID, Hold: user.Hold()})
	must(err)
	seat, err := chrome.Prepare(ctx, chrome.Options{Binary: binary, User: user, Profile: dirs.Profile, DangerouslyShareNetwork: share})
	must(err)
	if private, why := seat.PrivateNetwork(); private == share {
		t.Fatalf("a network of its own: %v (%s)", private, why)
	}
	l := &lab{addr: seat.Listener().Addr().String()}
	credentials := egress.Credentials{User: proto.NewSecret("lab"), Password: proto.NewSecret("0123456789abcdef")}
	var challenged atomic.Pointer[browser.Browser]
	options := egress.Options{App: pin, Credentials: credentials, RefuseWebRTC: true, OwnAddrs: ownAddrs, OnCredentials: func(known bool) {
		if b := challenged.Load(); b != nil {
			b.ExpectChallenge(!known)
		}
	}}
	if share {
		options.PeerAllowed = egress.OwnedBy(user.UID)
	}
	l.proxy = egress.New(options)
	served := make(chan error, 1)
	go func() { served <- l.proxy.Serve(seat.Listener()) }()
	l.process, err = seat.Start(ctx, l.addr)
	must(err)
	dirs.Watch(l.process.PID())
	l.conn = cdp.New(l.process.Transport())
	t.Cleanup(func() {
		l.conn.Close()
		stop, cancel := context.WithTimeout(context.Background(), labPatience)
		defer cancel()
		for _, err := range []error{l.process.Stop(stop), func() error { l.proxy.Close(); return <-served }(), seat.Close(), dirs.Remove(stop), user.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	l.browser, err = browser.Start(ctx, browser.Options{
		Conn: l.conn, Pin: pin, Viewport: proto.Viewport{Width: 1280, Height: 800},
		ProxyUser: credentials.User, ProxyPassword: credentials.Password,
	})
	must(err)
	must(l.process.CheckCommandLine())
	challenged.Store(l.browser)
	return l
}

// eval runs an expression in the page's own world of a frame.
func eval(t *testing.T, f *browser.Frame, expression string) string {
	t.Helper()
	yes := true
	res, err := pcdp.Call(within(t), f.Session(), runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: f.MainWorld(), ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	})
	if err != nil {
		t.Fatalf("evaluate %.60s: %v", expression, err)
	}
	if res.ExceptionDetails != nil {
		t.Fatalf("evaluate %.60s: %v", expression, browser.Thrown(res.ExceptionDetails))
	}
	return string(json.RawMessage(browser.RemoteJSON(res.Result)))
}
