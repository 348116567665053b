package hostapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

const cookieValue = "the-cookie-that-signs-in"

// storageOf is what a sidecar answers: a sign-in of the app, and things that
// are none of it.
func storageOf(value string) string {
	return fmt.Sprintf(`{"storage_state":{"cookies":[
		{"name":"sid","value":%q,"domain":"127.0.0.1","path":"/"},
		{"name":"ad","value":"x","domain":"tracker.example","path":"/"}],
	"origins":[{"origin":"http://127.0.0.1:3000","localStorage":[{"name":"k","value":"v"}]},
		{"origin":"https://tracker.example","localStorage":[{"name":"k","value":"v"}]}]}}`, value)
}

func keyed(b *bench, o *hostapi.Options) { o.SignInKey = hostapi.NewSignInKey() }

// given is what a browser was started with.
func given(t *testing.T, s *fakeSidecar) proto.StorageState {
	t.Helper()
	if s.config["storage_state"] == nil {
		return proto.StorageState{}
	}
	text, _ := json.Marshal(s.config["storage_state"])
	state, err := proto.DecodeStorageState(text)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestSignIns(t *testing.T) {
	signIns := &hostapi.MemorySignIns{}
	ctx, who := context.Background(), hostapi.Identity{Owner: owner}
	const request = `{"sign_in":true}`
	checkRules(t, []rule{
		{"what a browser has at its end, the project's next one starts with", func(b *bench, o *hostapi.Options) {
			keyed(b, o)
			o.SignIns = signIns
			b.sandbox(hostapi.Sandbox{ID: "s1", Project: "shop"})
			b.sandbox(hostapi.Sandbox{ID: "s2", Project: "shop"})
			b.sandbox(hostapi.Sandbox{ID: "s3", Project: "other"})
		}, func(t *testing.T, b *bench) {
			_, s := b.start(request)
			if !given(t, s).IsZero() {
				t.Errorf("the first one got %v", s.config["storage_state"])
			}
			s.state = storageOf(cookieValue)
			b.do("DELETE", browserPath, "")
			b.do("POST", "/api/sandboxes/s2/browser", request)
			state := given(t, b.backend.last())
			if len(state.Cookies) != 1 || state.Cookies[0].Value != cookieValue || len(state.Origins) != 1 ||
				state.Origins[0].Origin != "http://127.0.0.1:3000" || len(state.Origins[0].LocalStorage) != 1 {
				t.Errorf("the second one got %v", b.backend.last().config["storage_state"])
			}
			b.do("POST", "/api/sandboxes/s3/browser", request)
			if !given(t, b.backend.last()).IsZero() {
				t.Error("another project's got it too")
			}
			sealed, _ := signIns.Load(ctx, owner, "project shop")
			if len(sealed) == 0 || bytes.Contains(sealed, []byte("sid")) || bytes.Contains(sealed, []byte(cookieValue)) {
				t.Errorf("at rest it is %q", sealed)
			}
			if strings.Contains(b.seen.String(), cookieValue) {
				t.Error("an answer shows it")
			}
		}},
		{"who does not ask for it gets an empty profile, and leaves nothing", keyed, func(t *testing.T, b *bench) {
			_, s := b.start(request)
			s.state = storageOf(cookieValue)
			b.do("DELETE", browserPath, "")
			_, s = b.start("")
			if !given(t, s).IsZero() {
				t.Error("it was given")
			}
			s.state = storageOf("another")
			b.do("DELETE", browserPath, "")
			if _, s = b.start(request); given(t, s).Cookies[0].Value != cookieValue {
				t.Errorf("now it is %v", s.config["storage_state"])
			}
		}},
		{"without a key it is refused", nil, refused(422, proto.CodeSignInUnavailable, request)},
		{"what does not open refuses the start, with a cure", func(b *bench, o *hostapi.Options) {
			keyed(b, o)
			store := &hostapi.MemorySignIns{}
			store.Save(ctx, owner, "sandbox s1", []byte("\x01sealed by another key"))
			o.SignIns = store
		}, refused(422, proto.CodeSignInUnavailable, request)},
		{"a sealed sign-in that is moved to another owner or project does not open", keyed, func(t *testing.T, b *bench) {
			store := &hostapi.MemorySignIns{}
			moved := newBench(t, func(b *bench, o *hostapi.Options) { keyed(b, o); o.SignIns = store })
			moved.sandbox(hostapi.Sandbox{ID: "s1", Owner: "rival"})
			moved.sandbox(hostapi.Sandbox{ID: "s2"})
			_, s := moved.start(request)
			s.state = storageOf(cookieValue)
			moved.do("DELETE", browserPath, "")
			sealed, _ := store.Load(ctx, owner, "sandbox s1")
			store.Save(ctx, "rival", "sandbox s1", sealed)
			store.Save(ctx, owner, "sandbox s2", sealed)
			for path, h := range map[string]header{browserPath: {"X-Owner": "rival"}, "/api/sandboxes/s2/browser": nil} {
				if got := moved.do("POST", path, request, h); got.status != 422 || got.code() != string(proto.CodeSignInUnavailable) {
					t.Errorf("%s: %d %s", path, got.status, got.text)
				}
			}
		}},
		{"it can be saved while the browser runs, and be forgotten", keyed, func(t *testing.T, b *bench) {
			if err := b.host.SaveSignIn(ctx, who, "s1"); !errors.Is(err, proto.CodeBrowserNotRunning) {
				t.Errorf("got %v", err)
			}
			_, s := b.start("")
			s.state = storageOf(cookieValue)
			if err := b.host.SaveSignIn(ctx, who, "s1"); err != nil {
				t.Fatal(err)
			}
			b.do("DELETE", browserPath, "")
			if _, s = b.start(request); given(t, s).IsZero() {
				t.Error("it is not given")
			}
			s.state = "{}" // a browser that fails to tell keeps the old one
			b.do("DELETE", browserPath, "")
			if _, s = b.start(request); given(t, s).IsZero() {
				t.Error("it is lost")
			}
			s.state = "{}"
			b.do("DELETE", browserPath, "")
			if err := b.host.ForgetSignIn(ctx, who, "s1"); err != nil {
				t.Fatal(err)
			}
			if _, s = b.start(request); !given(t, s).IsZero() {
				t.Error("it is not forgotten")
			}
		}},
	})
}

func TestSignInKeyHasALength(t *testing.T) {
	t.Parallel()
	if _, err := hostapi.New(hostapi.Options{SignInKey: proto.NewSecret("too short")}); err == nil {
		t.Error("it is taken")
	}
}
