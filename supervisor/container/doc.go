// Package container runs sidecars in containers: a supervisor's [Runner] for
// docker, podman and nerdctl.
//
//	s := supervisor.Supervisor{Runner: &container.Runner{Image: "pillion"}}
//
// The engine's client is the child process, its standard input and output are
// the sidecar's, and so everything that a supervisor says to a sidecar stays
// the same. A container gets few rights: a read-only root with a /tmp of
// memory, no capabilities, no new privileges, limits on memory and processes, a
// filter of system calls that is closed but for what Chromium's sandbox needs,
// and one port that is published on loopback alone.
//
// # Reaching the app
//
// A container has a network of its own, so 127.0.0.1 in it is not this
// machine's. A launch's app and recording on a loopback address are therefore
// rewritten to HostName, by which containers reach this machine; the app must
// then listen on the engine's bridge too. With Network "host" the container
// shares this machine's network, and nothing is rewritten.
//
// # Invariants
//
//   - Nothing is downloaded when a browser starts: the image is there, or the
//     start fails.
//   - A container ends with its sidecar, with its client and with its host: the
//     sidecar's lifeline is the client's input. What is killed is removed.
//   - The config goes through standard input; an inspection of the container
//     shows no secret.
//   - Browsers are headless: a container shows no window.
//
// # Why
//
// Why is the port the same inside and outside? The sidecar answers only to Host
// headers that it expects, and those of its own port it expects by itself.
//
// Why is the seccomp profile in here and not a path? A start needs it, an
// engine's own forbids what Chromium's sandbox does, and a library has no files
// beside it. It is the same file as in the sidecar's documentation.
package container
