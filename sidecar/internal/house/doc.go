// Package house holds the tests of the house rules: what every package of this
// repository keeps to, whoever writes it. It has no code of its own.
//
// The rules: each package is documented in one place; a file can be read in one
// sitting; a package imports only what stands above it; third-party modules are
// few, each with a reason and with few users; there is no init function and no
// package-level variable that changes; JavaScript lives in .js files; what the
// README tells a reader to run can be run; the configs in testdata are good or
// bad for the reason that their names say.
//
// # Why
//
// A rule that only a document states holds until the first hurried afternoon.
// The tests read the source itself and not the build's view of it, so files for
// other systems are held to the same rules.
package house
