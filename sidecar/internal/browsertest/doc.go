// Package browsertest starts real Chromiums for the tests of packages that need
// one: with every wall that the product has, or one without rules that all tests
// of a package share.
//
//	func TestMain(m *testing.M) { browsertest.Main(m) }
//	b := browsertest.Open(t, site) // pinned to the site, behind the egress proxy
//
//	var chromium browsertest.Shared
//	func TestMain(m *testing.M) { chromium.Main(m) }
//	b := chromium.Browser(t) // goes anywhere on loopback; take a tab each
//
//	b := browsertest.Free(t) // the same for one test, with options of its own
//
// # Invariants
//
//   - A browser ends with its test, a shared one with the package's, and
//     [apptest.Main] then finds nothing of it.
//   - The shared browser's proxy goes to this machine only.
//
// # Why
//
// It is a package of its own because apptest knows nothing of what it helps to
// test, and these helpers know half of the sidecar.
package browsertest
