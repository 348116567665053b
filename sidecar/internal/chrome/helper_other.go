//go:build !linux

package chrome

// HelperMain handles nothing: the helper exists on Linux only.
func HelperMain([]string) (code int, handled bool) { return 0, false }
