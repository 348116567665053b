//go:build !unix

package files

import "io/fs"

// nonblock: there are no pipes in these file systems.
const nonblock = 0

// links is how many names a file has; unknown here.
func links(fs.FileInfo) uint64 { return 1 }
