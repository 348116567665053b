//go:build linux

package attack

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// reach runs the egress modes against the internet of the world, in sidecars of
// their own: what is not listed is not even looked up, and what is listed is a
// page or a host as the config says.
func (e *scene) reach(t *testing.T) {
	e.needWorld(t)
	const inside = "10.99.0.1" // private, and somebody's
	e.world.names.set("inward.public.test", inside)
	e.world.names.set("mixed.public.test", publicAddr+","+inside)
	db := e.flavour + ".corp.test" // its answers change with each question, so each browser has its own
	e.world.names.set(db, inside, publicAddr, "169.254.169.254")
	e.world.names.set("meta.corp.test", "169.254.169.254")

	begin := func(t *testing.T, change apptest.Config) (*scene, *apptest.MCPClient) {
		own := e.with(nil)
		own.begin(t, change)
		return own, own.open(t, "/leave?to=x")
	}
	// arrives loads a URL by some ways and says whether requests for its host came to
	// an address, and how often the host's name was asked for.
	arrives := func(t *testing.T, c *apptest.MCPClient, target, addr string) (requests, questions int) {
		t.Helper()
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		before, asks := e.world.far.mark(), e.world.names.questions(u.Hostname())
		loadBy(t, c, target, "fetch", "image", "socket")
		for _, a := range e.world.far.since(before, asked(u.Hostname())) {
			if addr != "" && a.at.Addr() != netip.MustParseAddr(addr) {
				t.Errorf("%s arrived at %v", target, a.at)
			}
			requests++
		}
		return requests, e.world.names.questions(u.Hostname()) - asks
	}
	refused := func(t *testing.T, own *scene, c *apptest.MCPClient, target, rule string, lookups bool) {
		t.Helper()
		u, _ := url.Parse(target)
		before := mark(e.world)
		if _, questions := arrives(t, c, target, ""); questions > 0 && !lookups {
			t.Errorf("%s: its name was asked for", target)
		}
		for _, a := range append(e.world.near.since(before.near, nil), e.world.far.since(before.far, nil)...) {
			t.Errorf("%s: arrived: %v", target, a)
		}
		apptest.Await(t, "the record of "+target, func() bool {
			for _, ev := range own.p.Events() {
				to, _ := ev.Detail["target"].(string)
				if ev.Type == "refused" && ev.Detail["rule"] == rule && strings.HasPrefix(to, u.Hostname()+":") {
					return true
				}
			}
			return false
		})
	}

	t.Run("app-only", func(t *testing.T) {
		own, c := begin(t, apptest.Config{"egress": "app-only"})
		refused(t, own, c, "http://only.public.test/x", "not_app", false)
		refused(t, own, c, "https://only2.public.test/x", "not_app", false)
		refused(t, own, c, "http://"+publicAddr+"/x", "not_app", false)
		refused(t, own, c, "http://127.0.0.1:7001/x", "not_app", false)
	})
	t.Run("allow-list", func(t *testing.T) {
		own, c := begin(t, apptest.Config{"egress": "allow-list", "allow_hosts": []any{
			"cdn.public.test", "*.wild.public.test", "inward.public.test", "mixed.public.test", inside + ":8080",
			apptest.Config{"host": db + ":8080", "private": true}, apptest.Config{"host": "meta.corp.test:80", "private": true},
		}})
		for target, addr := range map[string]string{
			"http://cdn.public.test/x": publicAddr, "http://a.b.wild.public.test/x": publicAddr, "http://" + inside + ":8080/x": inside,
			"http://" + db + ":8080/x": inside,
		} {
			if n, _ := arrives(t, c, target, addr); n == 0 {
				t.Errorf("%s: nothing arrived", target)
			}
		}
		for _, target := range []string{
			"http://list.public.test/x", "http://wild.public.test/x", "http://cdn.public.test:8080/x", "https://list2.public.test/x",
			"http://" + publicAddr + "/x", "http://" + inside + "/x", "http://" + db + "/x",
		} {
			refused(t, own, c, target, "not_listed", false)
		}
		for _, target := range []string{"http://inward.public.test/x", "http://mixed.public.test/x", "http://meta.corp.test/x"} {
			refused(t, own, c, target, "private_answer", true)
		}
		if n := e.world.names.questions(db); n > 2 { // one of each family
			t.Errorf("a pinned name was asked for %d times", n)
		}
	})
	t.Run("allowed origin", func(t *testing.T) {
		_, c := begin(t, apptest.Config{"allow_origins": []any{"http://login.public.test"}})
		at := func(what string) {
			t.Helper()
			if got := evaluate(t, c, "() => location.href"); !strings.HasPrefix(got, `"http://login.public.test/`) {
				t.Errorf("%s: the tab stands at %s", what, got)
			}
		}
		c.Must("browser_navigate", apptest.Args{"url": "http://login.public.test/tool"})
		at("a tool's page")
		for _, id := range []string{"link", "hop", "post307 button"} {
			c.Must("browser_navigate", apptest.Args{"url": "/leave?to=" + url.QueryEscape("http://login.public.test/page")})
			c.Must("browser_click", apptest.Args{"target": "#" + id})
			at("after " + id)
		}
		// From there nowhere else, by hop, script or window.
		before := mark(e.world)
		for _, js := range []string{"location = 'http://on.evil.test/'", "open('http://on.evil.test/')"} {
			r := c.Call("browser_evaluate", apptest.Args{"function": "() => { " + js + " }"})
			if !r.IsError || !strings.Contains(r.Text, "A page was redirected to http://on.evil.test, outside the sandbox app") {
				t.Errorf("%s:\n%s", js, r.Text)
			}
		}
		for _, a := range e.world.far.since(before.far, asked("on.evil.test")) {
			t.Errorf("arrived: %v", a)
		}
	})
}
