package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/record"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// patience is far above what any step takes, so that only a fault reaches it.
const patience = 30 * time.Second

// lab is a recorded browser on the site, and the ingest that its recording goes to.
type lab struct {
	t        *testing.T
	site     *apptest.Site
	ingest   *apptest.Ingest
	events   *event.Stream
	recorder *record.Recorder
	browser  *browser.Browser
}

func newLab(t *testing.T, change ...func(*record.Options)) *lab {
	t.Helper()
	l := &lab{t: t, site: apptest.Start(t), ingest: apptest.NewIngest(t, 0), events: &event.Stream{}}
	o := record.Options{
		URL: l.ingest.URL(), Token: proto.NewSecret(apptest.IngestToken), Events: l.events, Secrets: []string{apptest.IngestToken},
	}
	for _, c := range change {
		c(&o)
	}
	var err error
	if l.recorder, err = record.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.recorder.Close(context.Background()) })
	l.browser = browsertest.Free(t, func(o *browser.Options) {
		o.Events, o.OnTarget, o.Private = l.events, l.recorder.Attach, l.recorder.Private
	})
	return l
}

func (l *lab) tab() *browser.Tab { return l.browser.Tabs()[0] }

func (l *lab) goTo(path string) {
	l.t.Helper()
	l.open(l.site.URL() + path)
}

func (l *lab) open(url string) {
	l.t.Helper()
	if _, err := l.tab().Navigate(l.within(), url); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) within() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	l.t.Cleanup(cancel)
	return ctx
}

func (l *lab) eval(f *browser.Frame, expression string) string {
	l.t.Helper()
	return browsertest.Eval(l.t, f, expression)
}

// finish ends the recording in the order of a stop and returns the account.
func (l *lab) finish() deliver.Report {
	l.t.Helper()
	l.recorder.Flush(l.within())
	return l.recorder.Close(l.within())
}

// rr is one event of the library as it was posted.
type rr struct {
	Type int             `json:"type"`
	Tab  int             `json:"tab"`
	Data json.RawMessage `json:"data"`
	Time float64         `json:"timestamp"`
}

func (e rr) source() int {
	var d struct {
		Source *int `json:"source"`
	}
	if json.Unmarshal(e.Data, &d) != nil || d.Source == nil {
		return -1
	}
	return *d.Source
}

func (l *lab) pages() (all []rr) {
	for _, e := range l.ingest.Events() {
		if e.Kind == "rrweb" {
			var x rr
			if err := json.Unmarshal(e.Data, &x); err != nil {
				l.t.Fatal(err)
			}
			all = append(all, x)
		}
	}
	return all
}

// awaitPosted waits until a text has arrived in a recorded event of a page.
func (l *lab) awaitPosted(what string) {
	l.t.Helper()
	apptest.Await(l.t, what+" to be recorded", func() bool {
		for _, e := range l.pages() {
			if strings.Contains(string(e.Data), what) {
				return true
			}
		}
		return false
	})
}

// count is how many events of the library have a type and, for changes, a source.
func count(events []rr, typ, source int) (n int) {
	for _, e := range events {
		if e.Type == typ && (typ != 3 || e.source() == source) {
			n++
		}
	}
	return n
}

// facts are the events of a kind, as texts.
func (l *lab) facts(kind string) (all []string) {
	for _, e := range l.ingest.Events() {
		if e.Kind == kind {
			all = append(all, string(e.Data))
		}
	}
	return all
}

// insert puts text where the focus is, as a keyboard or a person's paste would.
func (l *lab) insert(text string) {
	l.t.Helper()
	if _, err := pcdp.Call(l.within(), l.tab().Session(), input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		l.t.Fatal(err)
	}
}

// serve gives pages by their paths, on both names of this machine.
func serve(t *testing.T, pages map[string]string) (here, there string) {
	t.Helper()
	here = apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// Where a page names the other site.
		fmt.Fprint(w, strings.ReplaceAll(page, "OTHER", strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)))
	}))
	return here, strings.Replace(here, "127.0.0.1", "localhost", 1)
}

// posted is everything that was ever sent, stored or not.
func (l *lab) posted() string {
	var all strings.Builder
	for _, b := range l.ingest.Batches() {
		all.Write(b.Body)
		fmt.Fprintln(&all, b.Header)
	}
	return all.String()
}
