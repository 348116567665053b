// Package apptest is what the tests of the other packages share: the site under
// test on loopback, traps that count what should never arrive, an ingest and a
// resolver that do as they are told, an MCP client of few words, the sidecar as
// a real process, and the check that nothing is left of any of it.
//
// A test package that starts servers, processes or browsers has
//
//	func TestMain(m *testing.M) { apptest.Main(m) }
//
// and then fails as a whole when a goroutine, a child process, a process that
// mentions the run's temporary directory, or a file there outlives the tests.
//
//	site := apptest.Start(t)                // the shop, http://127.0.0.1:PORT
//	trap := apptest.Sniffer(t)              // nothing may reach trap.URL()
//	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
//	p.MCP.Initialize()
//	r := p.MCP.Call("browser_navigate", apptest.Args{"url": "/"})
//	trap.WantSilent(t)
//	p.Stop()
//
// # Invariants
//
//   - Everything listens on loopback, on ports that the system picks.
//   - Everything that a helper starts ends with its test, without being asked.
//   - The package knows proto and the site, and nothing of what it helps to test.
//
// # Why
//
// Main gives the test process a TMPDIR of its own. Test packages run side by
// side on one machine, so a difference of /tmp before and after would blame one
// package for another's files; and since children inherit TMPDIR, each process
// of the run can be told by its environment.
//
// Polling, not sleeping: Await looks every few milliseconds, so that a test
// takes as long as the fact and a failure takes as long as the limit.
package apptest
