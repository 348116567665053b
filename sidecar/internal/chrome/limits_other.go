//go:build !unix

package chrome

func filesLimit() uint64 { return 0 }
