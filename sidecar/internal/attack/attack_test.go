//go:build linux

package attack

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// kind is how rows of one kind are run.
type kind struct {
	// where is what they are run against; "" is a sidecar with each browser.
	where string
	run   func(t *testing.T, e *scene, r row)
}

// kinds says for each kind of row how it is run.
func kinds() map[string]kind {
	return map[string]kind{
		"navigate_tool":        {"", navigateTool},
		"page_navigation":      {"", pageNavigation},
		"redirect":             {"", redirect},
		"page_subresource_url": {"", subresource},
		"egress_address":       {"", egressAddress},
		"dns_answer":           {"", dnsAnswer},
		"app_exception":        {"", appException},
		"leak":                 {"", leakRow},
		"http":                 {"sidecar", httpRow},
		"mcp":                  {"sidecar", mcpRow},
		"config":               {"sidecar", configRow},
		"file_upload":          {"sidecar", uploadRow},
		"proxy_request":        {"egress", proxyRow},
		"ticket":               {"sidecar", ticketRow},
		"ws":                   {"sidecar", socketRow},
	}
}

// TestAttack runs everything in turn: there is one world.
func TestAttack(t *testing.T) {
	w := newWorld(t)
	rows := readRows(t, "cases.json")
	if full() {
		rows = append(rows, readRows(t, "more.json")...)
	}
	book := &ledger{}
	partial := flag.Lookup("test.run").Value.String() != ""
	t.Cleanup(func() { book.report(t, rows, partial) })

	flavours := []string{"shell"}
	if full() {
		flavours = append(flavours, "full")
	}
	all := kinds()
	site, host := serveApp(t, w)
	run := func(t *testing.T, e *scene, name string) {
		k := all[name]
		where := k.where
		if where == "" {
			where = e.flavour
		}
		t.Run(name, func(t *testing.T) {
			for _, r := range rows {
				if r.Kind == name {
					book.try(t, r, where, func(t *testing.T, note func(string)) { k.run(t, e.with(note), r) })
				}
			}
		})
	}
	t.Run("borders", func(t *testing.T) {
		e := &scene{world: w, flavour: flavours[0], book: book, app: site, appHost: host}
		e.begin(t, liveConfig())
		t.Run("same answers", e.sameAnswers)
		t.Run("constant time", e.constantTime)
		t.Run("sessions of strangers", e.sessionsOfStrangers)
		t.Run("only loopback", e.onlyLoopback)
		t.Run("noise", e.noise)
		t.Run("slow loris", e.slowLoris)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if all[name].where != "" {
				run(t, e, name)
			}
		}
	})
	results := &leaks{results: map[string]result{}}
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) {
			e := &scene{world: w, flavour: flavour, book: book, app: site, appHost: host, leaks: results}
			e.begin(t)
			t.Run("site isolation", e.siteIsolation)
			t.Run("deaths", e.afterDeaths)
			t.Run("every way", e.everyWay)
			t.Run("control", e.withoutWalls)
			t.Run("reach", e.reach)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if all[name].where == "" {
					run(t, e, name)
				}
			}
		})
	}
	t.Run("late", func(t *testing.T) { late(t, w) })
}

// late waits once more, and then looks at everything that has arrived in the whole
// run: at loopback and under the names that no row may reach, that is nothing.
func late(t *testing.T, w *world) {
	if w == nil {
		t.Skip("not run here: there is no world")
	}
	time.Sleep(settleLate)
	for _, a := range w.near.since(0, nil) {
		t.Errorf("arrived: %v", a)
	}
	for _, a := range w.far.since(0, func(a arrival) bool { return strings.Contains(a.host, ".evil.test") }) {
		t.Errorf("arrived: %v", a)
	}
	for _, name := range w.names.all() {
		if strings.HasSuffix(name, ".evil.test") {
			t.Errorf("asked for: %s", name)
		}
	}
}
