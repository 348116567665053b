// Package files keeps the files of a session: those that the tools write, those
// that pages download, and those that an agent gives to pages.
//
// A session has two directories that agents may name, uploads (the tools'
// working directory) and output. Chromium's user may see neither. So a file
// changes hands in a third place, below that user's profile: Chromium drops
// downloads there and finds copies of uploads there.
//
// # Invariants
//
//   - Every path is resolved inside of one of these directories by the kernel
//     ([os.Root]). What a name leads to must be a regular file with one name.
//   - A name that a page proposed becomes one plain file name, and never that of
//     a file that is there already.
//   - All that was written fits into a quota: the oldest files make room. One
//     file over its own limit is refused.
//   - Only what was written through a [Store] can be fetched from it.
//
// # Why
//
// Why are downloads copied and not moved? The file that Chromium's user has
// made stays that user's: it could be changed after it was looked at, or be
// another name of something else. The copy is the sidecar's.
//
// Why do the oldest files go, instead of an error? A page can fill any quota
// with downloads, and an agent that can't take a screenshot any more because of
// it is stuck. What is in use (the answer that is being written) is the newest.
//
// Why are files with a name of the agent's kept in uploads, the others in
// output? That is where callers of the original look for them; and what an agent
// names, it may want to upload.
package files
