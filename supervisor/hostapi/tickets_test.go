package hostapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

func allowing(allowed bool, err error) change {
	return func(b *bench, o *hostapi.Options) {
		o.Permissions = hostapi.PermissionFunc(func(_ context.Context, who hostapi.Identity, action hostapi.Action, subject hostapi.Sandbox) (bool, error) {
			b.tape.note(who.User + " " + string(action) + " " + subject.ID)
			return allowed, err
		})
	}
}

func TestTickets(t *testing.T) {
	checkRules(t, []rule{
		{"a ticket is for watching unless control is asked for", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			before := time.Now()
			got := b.do("POST", ticketsPath, "")
			if got.status != 201 || got.body["mode"] != "view" || got.body["url"] != started.browser()["live_url"] {
				t.Fatalf("got %d %s", got.status, got.text)
			}
			expires, err := time.Parse(time.RFC3339, got.body["expires_at"].(string))
			if life := expires.Sub(before); err != nil || life > 30*time.Second || life < 28*time.Second {
				t.Errorf("it lives for %v, %v", life, err)
			}
			// What the browser reads in it, and that it is good once.
			verifier := proto.NewTicketVerifier(proto.NewSecret(s.token()), b.sessionOf(started), time.Now)
			claims, refusal := verifier.Verify(got.body["ticket"].(string))
			if refusal != "" || *claims.Subject != "7" || *claims.Name != "Ada" || claims.Mode != proto.TicketView {
				t.Errorf("claims %+v, %v", claims, refusal)
			}
			if _, refusal := verifier.Verify(got.body["ticket"].(string)); refusal == "" {
				t.Error("it is good twice")
			}
			other := proto.NewTicketVerifier(proto.NewSecret("aabrw_another-browsers-token-of-its-own"), b.sessionOf(started), time.Now)
			if _, refusal := other.Verify(b.do("POST", ticketsPath, `{"mode":"view"}`).body["ticket"].(string)); refusal == "" {
				t.Error("it opens another browser")
			}
		}},
		{"control asks the permissions, with the sandbox as the subject", allowing(true, nil), func(t *testing.T, b *bench) {
			b.start("")
			if got := b.do("POST", ticketsPath, `{"mode":"control"}`); got.status != 201 || got.body["mode"] != "control" {
				t.Errorf("got %d %s", got.status, got.text)
			}
			if got := b.tape.String(); got != "open s1, 7 take_over_browser s1" {
				t.Errorf("asked %s", got)
			}
		}},
		{"watching does not", allowing(false, nil), func(t *testing.T, b *bench) {
			b.start("")
			if got := b.do("POST", ticketsPath, `{"mode":"view"}`); got.status != 201 || b.tape.String() != "open s1" {
				t.Errorf("got %d %s, asked %s", got.status, got.text, b.tape)
			}
		}},
		{"who may not take over gets no control", allowing(false, nil), func(t *testing.T, b *bench) {
			b.start("")
			if got := b.do("POST", ticketsPath, `{"mode":"control"}`); got.status != 403 || got.code() != string(proto.CodePermissionDenied) {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"who loses the permission takes control no more", func(b *bench, o *hostapi.Options) {
			asked := 0
			o.Permissions = hostapi.PermissionFunc(func(context.Context, hostapi.Identity, hostapi.Action, hostapi.Sandbox) (bool, error) {
				asked++
				return asked == 1, nil
			})
		}, func(t *testing.T, b *bench) {
			b.start("")
			for _, want := range []int{201, 403, 403} {
				if got := b.do("POST", ticketsPath, `{"mode":"control"}`); got.status != want {
					t.Errorf("got %d %s, want %d", got.status, got.text, want)
				}
			}
		}},
		{"a checker that fails gives none", allowing(true, errors.New("down")), func(t *testing.T, b *bench) {
			b.start("")
			if got := b.do("POST", ticketsPath, `{"mode":"control"}`); got.status != 500 {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"control needs execution, watching does not", func(b *bench, o *hostapi.Options) {
			enabled := true
			o.ExecutionEnabled = func(context.Context, string) bool { was := enabled; enabled = false; return was }
		}, func(t *testing.T, b *bench) {
			b.start("")
			if got := b.do("POST", ticketsPath, `{"mode":"control"}`); got.status != 403 || got.code() != string(proto.CodeExecutionDisabled) {
				t.Errorf("control: %d %s", got.status, got.text)
			}
			if got := b.do("POST", ticketsPath, ""); got.status != 201 {
				t.Errorf("view: %d %s", got.status, got.text)
			}
		}},
		{"an unknown mode is refused", nil, func(t *testing.T, b *bench) {
			b.start("")
			for _, mode := range []string{`"drive"`, `""`, `1`} {
				if got := b.do("POST", ticketsPath, `{"mode":`+mode+`}`); got.status != 422 {
					t.Errorf("%s: %d %s", mode, got.status, got.text)
				}
			}
		}},
		{"without a running browser there is none", nil, func(t *testing.T, b *bench) {
			for _, when := range []string{"before", "after"} {
				for _, request := range []string{"", `{"mode":"control"}`} {
					if got := b.do("POST", ticketsPath, request); got.status != 409 || got.code() != string(proto.CodeBrowserNotRunning) {
						t.Errorf("%s: %d %s", when, got.status, got.text)
					}
				}
				if when == "before" {
					b.start("")
					b.do("DELETE", browserPath, "")
				}
			}
		}},
		{"the live view's page asks the same", allowing(false, nil), func(t *testing.T, b *bench) {
			page := header{"Content-Type": "application/json", "Origin": b.server.URL}
			if got := b.do("GET", "/live/s1/", ""); got.status != 409 || got.code() != string(proto.CodeBrowserNotRunning) {
				t.Errorf("before: %d %s", got.status, got.text)
			}
			started, s := b.start("")
			got := b.do("POST", "/live/s1/tickets", `{"mode":"view"}`, page)
			verifier := proto.NewTicketVerifier(proto.NewSecret(s.token()), b.sessionOf(started), time.Now)
			if claims, refusal := verifier.Verify(got.body["ticket"].(string)); refusal != "" || *claims.Name != "Ada" {
				t.Errorf("view: %d %s", got.status, got.text)
			}
			if got := b.do("POST", "/live/s1/tickets", `{"mode":"control"}`, page); got.status != 403 {
				t.Errorf("control: %d %s", got.status, got.text)
			}
			if got := b.do("GET", "/live/s1/", ""); got.status != 200 || !strings.Contains(got.text, "<!doctype html>") {
				t.Errorf("page: %d %s", got.status, got.text)
			}
			for h, want := range map[string]int{"X-User": 401, "X-Owner": 404} {
				if got := b.do("GET", "/live/s1/", "", header{h: ""}); got.status != want {
					t.Errorf("without %s: %d %s", h, got.status, got.text)
				}
			}
			b.do("DELETE", browserPath, "")
			if got := b.do("POST", "/live/s1/tickets", `{"mode":"view"}`, page); got.status != 409 {
				t.Errorf("after: %d %s", got.status, got.text)
			}
		}},
		{"nor without a live view", nil, func(t *testing.T, b *bench) {
			shown, err := b.host.Start(context.Background(), hostapi.Identity{Owner: owner}, "s1", hostapi.StartOptions{NoLive: true})
			if err != nil || shown.LiveURL != nil || b.backend.last().config["live"] != nil {
				t.Errorf("started %+v, %v", shown, err)
			}
			if got := b.do("POST", ticketsPath, ""); got.status != 409 || got.code() != string(proto.CodeLiveOff) {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
	})
}
