// Package exposition counts things and writes them in the text format that
// Prometheus reads. A host and its sidecars both do; it is all that they need of
// a client library, which would weigh more than the rest of a sidecar.
//
//	calls := exposition.NewCounter("pillion_calls_total", "Calls, by tool.", "tool")
//	calls.Add(1, "browser_click")
//	var page exposition.Page
//	calls.Write(&page)
//	io.WriteString(w, page.String())
//
// # Invariants
//
//   - Series are written in the order of their labels' values, so that two pages
//     can be compared.
//   - A counter without labels is there from the start, at 0.
//   - Any text is safe as a label's value. That there are few of them is for who
//     counts: a series lasts as long as its counter.
//
// # Why
//
// Why no registry? Who writes a page knows what is on it, and reads some of it,
// such as memory, at that moment.
package exposition
