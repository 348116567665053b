//go:build !linux

package chrome

// systemChecks says what is missing on a system that is not Linux.
func systemChecks([]Renderer) []Check {
	return []Check{{
		Name: "isolation", Detail: lacking,
		Fix: "Run the sidecar on Linux, or in a container, where pages are not trusted",
	}}
}
