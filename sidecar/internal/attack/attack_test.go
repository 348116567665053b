//go:build linux

package attack

import (
	"flag"
	"maps"
	"slices"
	"testing"
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
	rows := append(readRows(t, "cases.json"), readRows(t, "more.json")...)
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
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if all[name].where != "" {
				run(t, e, name)
			}
		}
	})
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) {
			e := &scene{world: w, flavour: flavour, book: book, app: site, appHost: host}
			e.begin(t)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if all[name].where == "" {
					run(t, e, name)
				}
			}
		})
	}
}
