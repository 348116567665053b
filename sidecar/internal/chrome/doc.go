// Package chrome is everything about the Chromium process: finding one, its
// command line, its user, its network, its start and its death. What Chromium
// says over its pipe is for others.
//
//	user, err := chrome.PickUser()             // whom it runs as
//	binary, err := chrome.Find(ctx, want)      // what is started
//	seat, err := chrome.Prepare(ctx, opts)     // its network, with the proxy's listener
//	process, err := seat.Start(ctx, proxyAddr) // the browser
//	conn := cdp.New(process.Transport())       // what it says
//
// The program's main function calls [HelperMain] before anything else.
//
// # Invariants
//
//   - The debugging connection is a pipe on descriptors 3 and 4. There is no
//     port.
//   - Chromium's sandbox is on unless DangerouslyNoSandbox says otherwise, and
//     Chromium never runs as root. Where one of the two can't be had, the start
//     fails and says what to change.
//   - One Chromium has one [User], one [Seat] and one [Process]. A User may
//     serve the next Chromium when the last one's [Process.Done] is closed.
//   - Chromium's environment is built from nothing, and it holds no descriptor
//     but its standard ones and the pipe.
//   - Chromium leads a session of its own, so no signal to the sidecar's group
//     reaches it, and it dies with the sidecar: by the end of its pipe and by
//     the kernel's parent-death signal, which also ends one that hangs.
//   - When Done is closed, nothing that the browser started is left.
//
// # Why
//
// The kernel sends the parent-death signal when the thread dies that made the
// child. So one goroutine, the keeper of the seat, stays on one thread from the
// network's creation to the browser's end, and waits there.
//
// Any local process may connect to a port on loopback. In a network namespace
// of its own, Chromium reaches the egress proxy and nobody else does, and UDP,
// DNS and loopback services are out of its reach whatever its switches say. As
// root that costs one system call on the keeper's thread. An ordinary user gets
// a network namespace only together with a user namespace, which a program with
// threads can't enter, so there a second copy of this program is started inside
// both: it listens, passes the listener back, and becomes Chromium. It keeps
// the user's id, so files keep their owner, and Chromium's own sandbox nests in
// it. Where neither works, Chromium shares the sidecar's network and the proxy
// stands on its password.
//
// A dedicated user comes from a range that no distribution gives to anybody. It
// needs no entry in the user database: Chromium works without one. The
// reservation is a socket name that the kernel frees with its last holder.
//
// The version is not asked before the start, as the browser tells it over its
// pipe; only the doctor runs the executable for it.
package chrome
