// Package supervisor gives a Go program browsers: one process, one Chromium
// and one MCP endpoint for each sandbox, started, watched and ended here.
//
// # Starting one
//
// A [Supervisor] starts the program "sidecar" and returns a [Browser] that is
// ready to be driven. The zero value does:
//
//	var s supervisor.Supervisor
//	browser, err := s.Start(ctx, proto.Launch{AppURL: "http://127.0.0.1:3000"})
//	if err != nil {
//		return err
//	}
//	defer browser.Stop(context.Background())
//
// AppURL is the one app that this browser may open. Everything else in
// [proto.Launch] has a default; Start makes a token where there is none.
//
// # Driving it
//
// [Browser.MCPURL] with [Browser.MCPToken] is what an agent needs: MCP over
// HTTP, a bearer token on each request. For people there is [Browser.LiveURL],
// which a page opens with a [Ticket]: never with the token.
//
// # Watching it
//
// [Browser.Events] reports pages, refusals, takeovers and the end. Reading is
// optional. [Browser.Wait] returns when the browser has ended and says why;
// [Browser.Usage] says how long it ran, for metering.
//
// # Ending it
//
// [Browser.Stop] asks, then terminates, then kills, and returns when nothing
// is left. A browser also ends at its launch's StopAt ([Browser.Extend] moves
// that), and when this program does: the sidecar's standard input is its
// lifeline, and its end, by kill -9 or by a power cut of the container, means
// the death of the host.
//
// # When a start fails
//
// Errors are [*proto.Error]; branch with errors.Is(err, proto.CodeBinaryMissing).
// Each Message says what happened, each Hint what to do. After a failed start
// no process and no file is left.
//
//	binary_missing        no sidecar where one was looked for; names the places
//	binary_unusable       it is there and can't be executed
//	spawn_failed          the system, or the Runner, could not start it
//	exited_before_ready   it ended; exit status and last lines of its log
//	ready_timeout         it was not ready within StartTimeout
//	ready_malformed       its first line was not Ready: probably another program
//	version_mismatch      it is not the version in ExpectVersion
//	browser_missing       it found no Chromium
//	sandbox_unavailable   Chromium's sandbox can't work here
//	config_invalid        the launch is not valid
//	cancelled             the context of Start ended
//
// A sidecar that knows why it can't start prints that as its last line of
// standard error ([proto.Error.Line]); code, message and hint are then the
// sidecar's own, so there are more codes than these. [Supervisor.Doctor] asks
// before the first start.
//
// # Where sidecars run
//
// A [Runner] starts them. [ExecRunner], the default, makes child processes of
// this machine. One for containers or pods has to carry three streams, to wait
// and to kill; the rest of this package does not know the difference. Package
// container has one for Docker, Podman and nerdctl, module kube one for
// Kubernetes, and package backend makes one of configuration.
//
// A Runner may know more: a [Placer] says where its sidecars listen, a [Shower]
// whether they can show a window, an [Examiner] whether its place is well, and
// a [Sweeper] ends what an earlier process of the host left there: give each host a
// Name of its own for that. A process may be [Mute].
//
// # Invariants
//
//   - No call blocks on a sidecar for longer than its context or a documented
//     time, whatever that sidecar reads, writes or ignores.
//   - A sidecar never blocks on its host: both of its outputs are read to the
//     end, whether anyone wants them or not.
//   - The token is in the config's pipe and in memory: never in arguments, the
//     environment or a log. What a sidecar logs is masked before it is kept.
//   - Each goroutine ends with its browser; after Stop there is none.
//
// # Why
//
// Why a process for each browser, and not a package to link? A browser's driver
// parses what hostile pages make of it. When it crashes or is taken over, it is
// not the host; and the system's own tools can limit and end it.
//
// Why does Start send a command that does not exist? So that both sides go on
// tolerating what they don't know, and the next version can add commands and
// events. Each start sends one of a random type ("grease-…"), which the sidecar
// has to reject politely; a sidecar may send events of such types.
//
// Why is the oldest event dropped, and not the newest? The end of the stream
// says why the browser ended, which is what a late reader wants to know.
//
// Why is the environment a list of what may pass? Because the list of secrets
// that a host's environment may hold has no end.
package supervisor
