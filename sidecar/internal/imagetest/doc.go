// Package imagetest holds the tests of the container image: sidecars in
// containers, an agent and a site outside of them. It has no code of its own.
// Those that run containers are skipped unless PILLION_TEST_IMAGE names the
// image, as `make image-test` does; the one of the system call filter always
// runs.
//
// # Why
//
// The tests know no engine. A container is started by the program that
// PILLION_TEST_SIDECAR names, as any sidecar is, and IMAGE_OPTIONS adds options
// that Docker and Podman share. What a container holds is read from the host's
// /proc, where its processes are seen by the process namespace that they are in.
package imagetest
