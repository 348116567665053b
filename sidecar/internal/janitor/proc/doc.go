// Package proc reads the system's process table and ends the processes of one
// Chromium.
//
// It is a leaf: the launcher uses it to mop up after a browser, the janitor to
// do the same when the sidecar itself is gone, the doctor to look at the
// sandbox.
//
// # Invariants
//
//   - A process is named by its id and its start time together. An id alone is
//     never proof: ids are given out again.
//   - A [Claim] never selects the calling process, process 1, or a process of
//     another user than the one that the browser runs as.
//   - Nothing here trusts the text of a command line for more than a match
//     against the path of a profile directory that we made ourselves.
//
// # Why
//
// Killing the process group is not enough: full Chromium's crash handlers
// leave their group and their session by a double fork. They are found by the
// profile directory in their command line and, where the browser has a user of
// its own, by that user.
//
// On systems without /proc every reading function answers
// [errors.ErrUnsupported]; callers fall back to what the system does offer.
package proc
