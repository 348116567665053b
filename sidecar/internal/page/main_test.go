package page_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// chromium is the one browser of all tests here; each test has its own tab. It is
// given the script as the sidecar's is; package action's is not.
var chromium = browsertest.Shared{Script: page.Script()}

func TestMain(m *testing.M) { chromium.Main(m) }

// stage is a tab, its view, and a site whose pages are strings or files.
type stage struct {
	t    testing.TB
	ctx  context.Context
	tab  *browser.Tab
	view *page.View
	mux  *http.ServeMux
	url  string
}

// newStage opens a tab; its view is made at once, as numbers of frames are given
// in the order in which the view meets them.
func newStage(t testing.TB) *stage {
	t.Helper()
	b := chromium.Browser(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tab, err := b.NewTab(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		tab.Close(ctx)
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	return &stage{t: t, ctx: ctx, tab: tab, view: page.New(tab), mux: mux, url: server.URL}
}

// serve answers path with an HTML document; {other} in it is the address of the
// same site under another name, which for a browser is another site.
func (s *stage) serve(path, body string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		other := strings.Replace(s.url, "127.0.0.1", "localhost", 1)
		io.WriteString(w, "<!doctype html><meta charset=utf-8><title>t</title>"+strings.ReplaceAll(body, "{other}", other))
	})
}

// open serves body as the site's first page and goes there.
func open(t testing.TB, body string) *stage {
	t.Helper()
	s := newStage(t)
	s.serve("/{$}", body)
	s.visit("/")
	return s
}

func (s *stage) visit(path string) {
	s.t.Helper()
	if _, err := s.tab.Navigate(s.ctx, s.url+path); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) snapshot(options ...page.Options) string {
	s.t.Helper()
	snap, err := s.view.Snapshot(s.ctx, append(options, page.Options{})[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return snap.Text
}

// js runs an expression in the page's own world.
func (s *stage) js(expression string) string {
	s.t.Helper()
	return browsertest.Eval(s.t, s.tab.MainFrame(), expression)
}

// want compares a snapshot with the expected lines.
func (s *stage) want(got string, lines ...string) {
	s.t.Helper()
	if want := strings.Join(lines, "\n"); got != want {
		s.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
