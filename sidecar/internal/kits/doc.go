// Package kits drives pages that are made of popular component kits through the
// tools, as a model would: it reads a snapshot, takes refs from it, acts, and
// reads what the answer shows.
//
// The pages' sources are in testdata/kits at the top of the repository: MUI with
// its date pickers and data grid, Ant Design, Radix in the style of shadcn/ui with
// what is built around it, three editors, two virtualised lists. The tests build
// them with npm and esbuild into a cache and skip where there is no npm.
//
// # Invariants
//
//   - Nothing that is built, and no dependency, is kept in the repository; the
//     versions of all of them are.
//   - The cache (PILLION_KITS_DIR, or pillion-kits in the user's cache directory)
//     is keyed by what went into it, so that it can be deleted, and shared between
//     checkouts, at any time.
//   - A test reads what a model reads. It knows a page's insides by the line of
//     facts alone, which is part of the page.
//
// # Why
//
// Controls that are written by hand for a test behave as their writer thinks that
// controls do. Those of the kits hide the real input behind a painted one, open on
// mousedown, close on blur, move under the pointer, put their lists at the other
// end of the document, render a hundredth of their rows, and animate all of that.
//
// The test looks at the answer of the call itself first, and tells (with -v) where
// it had to look again: an agent that must look twice pays twice.
package kits
