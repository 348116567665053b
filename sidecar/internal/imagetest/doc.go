// Package imagetest holds the test of the container image: a sidecar in a
// container, an agent and a site outside of it. It has no code of its own, and
// its test is skipped unless PILLION_TEST_IMAGE names the image, as
// `make image-test` does.
package imagetest
