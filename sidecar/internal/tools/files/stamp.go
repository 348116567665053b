package files

import (
	"strings"
	"time"
)

// Stamped is a file name that sorts by time and needs no quoting anywhere:
// page-2026-11-30T15-22-39-084Z.png.
func Stamped(prefix, ext string) string {
	t := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	name := prefix + "-" + strings.NewReplacer(":", "-", ".", "-").Replace(t)
	if ext == "" {
		return name
	}
	return name + "." + ext
}
