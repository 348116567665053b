// Package janitor owns the directories of a session: it makes them, removes
// them, and sees to it that they are removed when the sidecar can't.
//
//	dirs, err := janitor.Open(opts) // before Chromium starts
//	dirs.Watch(pid)                 // as soon as it runs
//	err = dirs.Remove(ctx)          // when it is gone
//
// The program's main function calls [HelperMain] before anything else.
//
// # Invariants
//
//   - A session has three directories, "profile-", "uploads-" and "output-" with
//     six random characters each, mode 0700, in the work directory that it was
//     given or in a temporary one of its own. Nothing of a session, Chromium's
//     home and temporary directory included, lies anywhere else.
//   - The profile belongs to the browser's user, everything else to the
//     sidecar's. The way to the profile is searchable for the browser's user.
//   - The survivor knows every directory before it exists and Chromium as soon
//     as its id is known. It ends when the session has been removed, and within
//     ten seconds of the sidecar's death.
//   - Only what we made is ever removed: names that we chose a moment before, or
//     directories of our own user with our record in them whose lock is free and
//     whose owner is dead.
//
// # Why
//
// A process that is killed by force removes nothing. So the sidecar starts a
// second process, the survivor: the same program with a hidden argument, in a
// session of its own, that waits on a pipe of which the sidecar alone holds the
// other end. The kernel closes that end however the sidecar dies. The survivor
// then kills what is left of Chromium, removes the directories and exits. If it
// is killed itself, the sidecar says so in its log and goes on, and the next
// start on the machine sweeps.
//
// The lock lies on the profile directory itself, with the record of its owner
// in a file inside: there are exactly three directories while a session runs
// and none after it, so there is no other place, and a lock on a directory
// needs no file. Chromium may tamper with the record, which gains it nothing:
// the lock alone keeps a session alive, and the record can only name
// directories of its own session.
package janitor
