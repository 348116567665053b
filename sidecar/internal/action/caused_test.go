package action

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

func TestEffects(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	request := func(typ, url string, from, to int) browser.Request {
		r := browser.Request{Method: "GET", URL: url, Type: typ, Started: at(from), Navigation: typ == "Document", Main: typ == "Document"}
		if to > 0 {
			r.Ended, r.Status = at(to), 200
		}
		return r
	}
	poll := func(n int) (rs []browser.Request) {
		for i := range n {
			rs = append(rs, request("Fetch", fmt.Sprintf("/poll?n=%d", i), 20*i, 20*i+15))
		}
		return rs
	}
	for _, tc := range []struct {
		name     string
		requests []browser.Request
		polled   string
		want     string
	}{
		{name: "none"},
		{name: "what the action fetched", requests: []browser.Request{request("Fetch", "/a", 10, 0), request("XHR", "/b", 480, 0)}, want: "/a /b"},
		{name: "pictures, fonts and streams do not matter", requests: []browser.Request{request("Image", "/i", 1, 0), request("Font", "/f", 1, 0), request("EventSource", "/e", 1, 0), request("Ping", "/p", 1, 0)}},
		{name: "too late", requests: []browser.Request{request("Fetch", "/a", 501, 0)}},
		{name: "one answer leads to the next question", requests: []browser.Request{request("Fetch", "/a", 10, 900), request("Fetch", "/b", 1000, 2000), request("Fetch", "/c", 2200, 0)}, want: "/a /b"},
		{name: "a poller counts twice", requests: poll(20), want: "/poll?n=0 /poll?n=1"},
		{name: "a long poll asked again", requests: []browser.Request{request("XHR", "/long?x=2", 30, 0), request("Fetch", "/a", 40, 0)}, polled: "GET /long", want: "/a"},
		{name: "a new document forgets the old one's requests", requests: []browser.Request{request("Fetch", "/old", 1, 0), request("Document", "/next", 2, 700), request("Script", "/s", 750, 0), request("Fetch", "/data", 1150, 0), request("Fetch", "/later", 1300, 0)}, want: "/next /s /data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			polled := map[string]bool{}
			if tc.polled != "" {
				polled[tc.polled] = true
			}
			var got []string
			for _, r := range effects(tc.requests, began, polled) {
				got = append(got, r.URL)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
