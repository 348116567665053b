//go:build linux

package attack

import (
	_ "embed"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// load asks for a URL in the page.
//
//go:embed js/load.js
var load string

// loadBy loads a URL by some ways, or by all when none is named.
func loadBy(t *testing.T, c *apptest.MCPClient, url string, ways ...string) string {
	t.Helper()
	list := "null"
	if len(ways) > 0 {
		list = `["` + strings.Join(ways, `", "`) + `"]`
	}
	_, script, _ := strings.Cut(load, "\nasync ") // a function, and no comment before it
	return evaluate(t, c, "async "+strings.NewReplacer("URL_HERE", quoted(url), "WAYS_HERE", list).Replace(script))
}

// subresource runs a row of what a page loads from a spelling of an address. The
// traps at home listen on every loopback address, on the port that the row names.
func subresource(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	c := e.open(t, "/leave?to=x&row="+r.ID)
	before := mark(e.world)
	url := e.fill(r.Input, r)
	got := loadBy(t, c, url, "fetch", "image")
	e.outcome(t, before, r, url, got)
}

// outcome compares what arrived with what the row expects.
func (e *scene) outcome(t *testing.T, before moment, r row, url, said string) {
	t.Helper()
	arrived := append(e.world.near.since(before.near, nil), e.world.far.since(before.far, nil)...)
	left := e.world.tap.since(before.tap, func(p packet) bool { return p.to.String() != farAddr+":53" })
	if r.allowed() {
		if len(arrived) == 0 {
			t.Errorf("nothing arrived: %s", said)
		}
		return
	}
	for _, a := range arrived {
		t.Errorf("%s: arrived: %v (%s)", url, a, said)
	}
	for _, p := range left {
		t.Errorf("%s: left: %v", url, p)
	}
	if strings.Contains(said, `"open"`) {
		t.Errorf("%s: a socket is open: %s", url, said)
	}
}

// egressAddress runs a row of one address: a page of the app asks for it, over
// plain HTTP and for a tunnel. In the world every address exists.
func egressAddress(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	c := e.open(t, "/leave?to=x&row="+r.ID)
	before := mark(e.world)
	url := "http://" + r.Input + "/" + e.token(r)
	got := loadBy(t, c, url, "fetch") + loadBy(t, c, strings.Replace(url, "http", "https", 1), "fetch")
	e.outcome(t, before, r, url, got)
	if !r.allowed() {
		return
	}
	// It arrived where it should, and nowhere else.
	want := netip.MustParseAddr(strings.Trim(r.Input, "[]"))
	for _, p := range e.world.tap.since(before.tap, func(packet) bool { return true }) {
		if p.to.Addr() != want {
			t.Errorf("left: %v", p)
		}
	}
}

// dnsAnswers are what the world's name server says in the rows about answers.
func dnsAnswers() map[string]struct {
	name    string
	answers []string
} {
	type entry = struct {
		name    string
		answers []string
	}
	return map[string]entry{
		"S018": {"mixed.dns.test", []string{publicAddr + ",127.0.0.1"}},
		"S019": {"flip.dns.test", []string{publicAddr, "127.0.0.1"}},
		"S020": {"vm", nil},
	}
}

// dnsAnswer runs a row of what a name resolves to. One of more.json is the list
// of answers, by "|" for one after the other.
func dnsAnswer(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	entry, known := dnsAnswers()[r.ID]
	if !known {
		entry.name, entry.answers = e.token(r)+".dns.test", strings.Split(r.Input, "|")
	}
	name := entry.name
	if strings.Contains(name, ".") {
		name = e.flavour + "-" + name
		e.world.names.set(name, entry.answers...)
	}
	e.world.names.set("vm."+searchDomain, "10.0.0.1")
	c := e.open(t, "/leave?to=x&row="+r.ID)
	before := mark(e.world)
	url := "http://" + name + "/" + e.token(r)
	got := loadBy(t, c, url, "fetch", "post", "image")
	if r.ID == "S019" {
		e.rebinding(t, before, name)
		return
	}
	e.outcome(t, before, r, url, got)
	if n := e.world.names.questions(name + "." + searchDomain); n > 0 {
		t.Errorf("the search list was tried %d times", n)
	}
}

// rebinding: a name that is public at the first look and loopback at the next
// was looked at once, every connection went where it was then, and none to
// loopback.
func (e *scene) rebinding(t *testing.T, before moment, name string) {
	t.Helper()
	if n := e.world.names.questions(name); n != 2 { // of A and of AAAA
		t.Errorf("%d questions for the name", n)
	}
	if len(e.world.far.since(before.far, asked(name))) == 0 {
		t.Error("the request did not arrive where the name was first")
	}
	for _, a := range e.world.near.since(before.near, nil) {
		t.Errorf("arrived: %v", a)
	}
}

// appException runs a row of what is open for being the app.
func appException(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	c := e.open(t, "/leave?to=x&row="+r.ID)
	before := mark(e.world)
	switch r.ID {
	case "S001":
		if got := loadBy(t, c, e.origin()+"/lab?"+e.token(r), "fetch"); !strings.Contains(got, "basic") {
			t.Errorf("the app was not reached: %s", got)
		}
	case "S002":
		e.outcome(t, before, r, otherPort, loadBy(t, c, otherPort+"/x"))
	case "S003":
		// Chromium makes pages wait whose sockets have failed before.
		apptest.Await(t, "the app's socket", func() bool { return strings.Contains(loadBy(t, c, e.origin()+"/ws", "socket"), "open") })
	case "S004":
		hits := e.app.Hits("/localhost")
		e.outcome(t, before, r, "localhost", loadBy(t, c, "http://localhost:7000/localhost"))
		if e.app.Hits("/localhost") != hits {
			t.Error("the app was reached by another name")
		}
	case "S005":
		e.plainToTLS(t)
	default:
		if r.allowed() {
			t.Fatalf("no way to run %s", r.ID)
		}
		e.outcome(t, before, r, r.Input, loadBy(t, c, e.fill(r.Input, r)))
	}
}

// plainToTLS: an https app's port takes no plain text.
func (e *scene) plainToTLS(t *testing.T) {
	t.Helper()
	secure := &scene{world: e.world, flavour: e.flavour, book: e.book, appHost: "secure.public.test"}
	secure.begin(t, apptest.Config{"app_url": "https://secure.public.test"})
	before := mark(e.world)
	c := secure.client(t)
	got := loadBy(t, c, "http://secure.public.test:443/plain", "fetch", "image")
	time.Sleep(quietTime)
	for _, a := range e.world.far.since(before.far, func(a arrival) bool { return a.line != "" }) {
		t.Errorf("arrived: %v (%s)", a, got)
	}
	secure.p.Stop()
}

// spellings are one of each kind of name for what a page must not reach.
func spellings() []string {
	return []string{
		"http://127.0.0.1:9001/", "http://localhost:9001/", "http://[::1]:9001/", "http://2130706433:9001/", "http://0x7f.1:9001/",
		"http://0:9001/", "http://x.localhost:9001/", "http://localhost.:9001/", "http://[::ffff:7f00:1]:9001/", "http://127.0.0.1:7001/",
		"http://10.77.0.2:9001/", "http://169.254.169.254/latest/meta-data/", "http://10.1.2.3/", "http://private.dns.test/",
	}
}

// everyWay: no way of loading something gets to any spelling of a place that is
// closed.
func (e *scene) everyWay(t *testing.T) {
	e.needWorld(t)
	e.world.names.set("private.dns.test", "10.9.8.7")
	all := spellings()
	if !full() {
		all = all[:2]
	}
	for _, url := range all {
		c := e.open(t, "/leave?to=x")
		before := mark(e.world)
		got := loadBy(t, c, url)
		if strings.Contains(got, `"open"`) || strings.Contains(got, apptest.Mark) {
			t.Errorf("%s: %s", url, got)
		}
		before.refused(t, e.world)
	}
	// What is open is reached in every way, or the silence above proves nothing.
	c := e.open(t, "/leave?to=x")
	before := mark(e.world)
	loadBy(t, c, "http://everyway.public.test/")
	if n := len(e.world.far.since(before.far, asked("everyway.public.test"))); n < 10 {
		t.Errorf("only %d requests reached a server that is open", n)
	}
}
