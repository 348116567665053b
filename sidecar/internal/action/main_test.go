package action_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// chromium is the one browser of all tests here; each test has its own tab.
var chromium browsertest.Shared

func TestMain(m *testing.M) { chromium.Main(m) }

// stage is a tab with a page of the test's own, and who acts on it.
type stage struct {
	*action.Actor
	t    testing.TB
	tab  *browser.Tab
	view *page.View
	mux  *http.ServeMux
	url  string
	ctx  context.Context
}

// open serves body as "/" and opens it.
func open(t testing.TB, body string, options ...action.Option) *stage {
	t.Helper()
	s := blank(t, options...)
	s.page("/{$}", body)
	s.visit("/")
	return s
}

// blank is a stage that is still on about:blank.
func blank(t testing.TB, options ...action.Option) *stage {
	t.Helper()
	b := chromium.Browser(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	tab, err := b.NewTab(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		if err := tab.Close(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	view := page.New(tab)
	return &stage{Actor: action.New(tab, view, options...), t: t, tab: tab, view: view, mux: mux, url: server.URL, ctx: ctx}
}

func (s *stage) page(pattern, body string) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><meta charset=utf-8><title>t</title>", strings.ReplaceAll(body, "{other}", strings.Replace(s.url, "127.0.0.1", "localhost", 1)))
	})
}

func (s *stage) visit(path string) {
	s.t.Helper()
	if _, err := s.tab.Navigate(s.ctx, s.url+path); err != nil {
		s.t.Fatal(err)
	}
}

// script evaluates an expression in the page's own world.
func (s *stage) script(expression string) (json.RawMessage, error) {
	yes := true
	res, err := pcdp.Call(s.ctx, s.tab.Session(), runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
	if err != nil {
		return nil, err
	}
	if res.ExceptionDetails != nil {
		return nil, browser.Thrown(res.ExceptionDetails)
	}
	return browser.RemoteJSON(res.Result), nil
}

// js evaluates an expression in the page's own world and returns it as JSON with
// sorted keys.
func (s *stage) js(expression string) string {
	s.t.Helper()
	v, err := s.script(expression)
	if err != nil {
		s.t.Fatalf("%s: %v", expression, err)
	}
	var value any
	if err := json.Unmarshal(v, &value); err != nil {
		return string(v)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// want checks an expression's value.
func (s *stage) want(expression, value string) {
	s.t.Helper()
	if got := s.js(expression); got != value {
		s.t.Errorf("%s is %s, want %s", expression, got, value)
	}
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// fails checks that err is there and says each of the words.
func (s *stage) fails(err error, words ...string) {
	s.t.Helper()
	if err == nil {
		s.t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			s.t.Errorf("the error does not say %q:\n%v", w, err)
		}
	}
}

// echoSlowly is a WebSocket that sends back what it hears, after a while.
func echoSlowly(after time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			kind, msg, err := conn.ReadMessage()
			if err != nil {
				return
			}
			time.Sleep(after)
			if conn.WriteMessage(kind, msg) != nil {
				return
			}
		}
	}
}
