package browser

import (
	"context"
	"fmt"
	"slices"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// keptRequests bounds a tab's request log; numbering goes on when old entries
// leave.
const keptRequests = 2000

// Request is one request of a tab, as the network told it so far. Redirect hops
// are requests of their own.
type Request struct {
	N               int // 1 and up since the tab's last tool-driven navigation
	Method, URL     string
	Type            string // Chromium's resource type: Document, XHR, Fetch, Image…
	Status          int    // 0 = no answer yet
	StatusText      string
	MIMEType        string
	Failure         string // net::ERR_… when it failed
	Started, Ended  time.Time
	RequestHeaders  map[string]string
	ResponseHeaders map[string]string
	HasBody         bool // it sent a body
	Navigation      bool // a document request
	Main            bool // of the main frame

	session *cdp.Session
	id      network.RequestID
}

// Static says whether the request is of the kind that a list leaves out unless
// asked: answered, not failed, and not made by fetch or XHR.
func (r Request) Static() bool {
	return r.Failure == "" && r.Status > 0 && r.Status < 400 && r.Type != "Fetch" && r.Type != "XHR"
}

type networkLog struct {
	next    int
	entries []*Request
	open    map[network.RequestID]*Request
}

func (t *Tab) listenNetwork(s *cdp.Session) {
	cdp.On(s, network.RequestWillBeSent, func(ev network.EventRequestWillBeSent) { t.requestSent(s, ev) })
	cdp.On(s, network.ResponseReceived, func(ev network.EventResponseReceived) { t.responseReceived(ev) })
	cdp.On(s, network.LoadingFinished, func(ev network.EventLoadingFinished) { t.requestEnded(ev.RequestID, "") })
	cdp.On(s, network.LoadingFailed, func(ev network.EventLoadingFailed) {
		why := ev.ErrorText
		if why == "" {
			why = "net::ERR_FAILED"
		}
		t.requestEnded(ev.RequestID, why)
	})
}

func (t *Tab) requestSent(s *cdp.Session, ev network.EventRequestWillBeSent) {
	if ev.Request == nil {
		return
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.network.open == nil {
		t.network.open = map[network.RequestID]*Request{}
	}
	if old := t.network.open[ev.RequestID]; old != nil {
		// The same id again is the next hop. Where the page may not follow it,
		// the answer that led there is kept from us, too.
		if ev.RedirectResponse != nil {
			old.answer(ev.RedirectResponse)
		}
		old.Ended = time.Now()
		t.tellWatches(old)
	}
	r := &Request{
		Method: ev.Request.Method, URL: ev.Request.URL + ev.Request.URLFragment, Type: string(ev.Type),
		Started: time.Now(), RequestHeaders: headers(ev.Request.Headers),
		HasBody:    ev.Request.HasPostData,
		Navigation: ev.Type == network.ResourceTypeDocument,
		Main:       ev.FrameID == t.main.id, session: s, id: ev.RequestID,
	}
	t.network.next++
	r.N = t.network.next
	t.network.open[ev.RequestID] = r
	t.network.entries = append(t.network.entries, r)
	if len(t.network.entries) > keptRequests {
		t.network.entries = append([]*Request(nil), t.network.entries[len(t.network.entries)-keptRequests:]...)
	}
	for _, w := range t.watches {
		w.requests = append(w.requests, r)
	}
	t.tellWatches(r)
}

func (t *Tab) responseReceived(ev network.EventResponseReceived) {
	if ev.Response == nil {
		return
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if r := t.network.open[ev.RequestID]; r != nil {
		r.answer(ev.Response)
		t.tellWatches(r)
	}
	if ev.Type == network.ResourceTypeDocument && ev.FrameID == t.main.id {
		st := &Status{Code: int(ev.Response.Status), Text: ev.Response.StatusText}
		if ev.LoaderID == t.main.loader {
			t.status = st
		} else {
			t.statuses = map[pcdp.LoaderID]*Status{ev.LoaderID: st}
		}
	}
}

func (r *Request) answer(res *network.Response) {
	r.Status, r.StatusText, r.MIMEType = int(res.Status), res.StatusText, res.MimeType
	r.ResponseHeaders = headers(res.Headers)
}

func (t *Tab) requestEnded(id network.RequestID, failure string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	r := t.network.open[id]
	if r == nil {
		return
	}
	delete(t.network.open, id)
	r.Ended, r.Failure = time.Now(), failure
	if failure != "" && r.Navigation && r.Main {
		// A document's request has the id of its loader.
		t.main.reach(pcdp.LoaderID(id), func(m *milestones) { m.broken = failure })
		t.b.touch()
	}
	t.tellWatches(r)
}

// clearLogs starts the console and request logs anew, for a navigation.
func (t *Tab) clearLogs() {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.network.next, t.network.entries, t.network.open = 0, nil, nil
	t.console.start = t.console.next
}

// Requests are the requests since the last tool-driven navigation, oldest first.
func (t *Tab) Requests() []Request {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	out := make([]Request, len(t.network.entries))
	for i, r := range t.network.entries {
		out[i] = *r
	}
	return out
}

// TurnedAway says whether the newest document request since then was given up
// before its document came: so do downloads end, of which the browser tells a
// moment later.
func (t *Tab) TurnedAway(since time.Time) bool {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, r := range slices.Backward(t.network.entries) {
		if r.Started.Before(since) {
			return false
		}
		if r.Navigation {
			return r.Failure == "net::ERR_ABORTED"
		}
	}
	return false
}

// ResponseBody fetches the body of an answered request; Chromium keeps it until
// the document goes.
func (r Request) ResponseBody(ctx context.Context) ([]byte, error) {
	res, err := pcdp.Call(ctx, r.session, network.GetResponseBody, network.GetResponseBodyParams{RequestID: r.id})
	if err != nil {
		return nil, fmt.Errorf("fetch the response body: %w", err)
	}
	return res.Body, nil
}

// RequestBody fetches the body that the request sent.
func (r Request) RequestBody(ctx context.Context) ([]byte, error) {
	res, err := pcdp.Call(ctx, r.session, network.GetRequestPostData, network.GetRequestPostDataParams{RequestID: r.id})
	if err != nil {
		return nil, fmt.Errorf("fetch the request body: %w", err)
	}
	return res.PostData, nil
}
