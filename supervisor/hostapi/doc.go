// Package hostapi gives each of a host's sandboxes a browser, as an API: it
// starts and stops browsers on request, lets people watch and take over, lets
// agents in with the host's own credentials, and tells the minutes.
//
//	host, err := hostapi.New(hostapi.Options{Sandboxes: mine, Authenticator: mine})
//	mux.Handle("/api/sandboxes", host)
//	mux.Handle("/api/sandboxes/", host)
//	mux.Handle("/live/", host)
//	mux.Handle("/mcp/", host)
//	go host.Run(ctx) // recovers, reaps, and stops everything when ctx ends
//
// A host that serves before Run has begun calls [Host.Recover] first: until then
// a sandbox may still have the browser of an earlier process.
//
// # Routes
//
//	GET    /api/sandboxes                       the owner's sandboxes, and browser_modes
//	DELETE /api/sandboxes/{id}                  stops its browser, then deletes it
//	POST   /api/sandboxes/{id}/browser          starts: {"mode", "capabilities", "sign_in"}
//	GET    /api/sandboxes/{id}/browser          shows
//	DELETE /api/sandboxes/{id}/browser          stops
//	POST   /api/sandboxes/{id}/browser/tickets  {"mode": "view" or "control"} gives {"ticket", "mode", "expires_at", "url"}
//	GET    /live/{id}/                          the live view's page; its tickets and socket are below it
//	*      /mcp/{session}                       the agents' way to a running browser
//
// The three on a browser answer {"browser": {"mode", "status", "started_at",
// "server_key", "live_url"}}; browser is null where there was none. What is
// refused answers {"error", "code", "hint"}:
//
//	401  unauthorized           nobody known makes the request
//	402                         the quota checker's own payload
//	403  permission_denied, execution_disabled, origin_denied
//	404  sandbox_unknown        also for a sandbox of somebody else
//	409  browser_not_running, live_off: for tickets
//	410  browser_stopped        for agents
//	422  mode_unknown, capability_unknown, sandbox_not_ready, sandbox_expiring,
//	     browser_exists, mode_unavailable, backend_unavailable, sign_in_unavailable,
//	     and what the machine lacks, such as browser_missing
//	502  a browser that did not come up, with the supervisor's code
//
// # What the host brings
//
// [Options] has an interface for each thing that only the host knows: its
// [Sandboxes], who makes a request ([Authenticator]), who may do what
// ([Permissions]), the [Quota] and the [UsageRecorder], [Recordings],
// [SignIns], a [Journal] and a [Clock]. Each has a default that works.
//
// # Invariants
//
//   - A sandbox has one browser at most, however many ask for one at once.
//   - No answer carries a browser's MCP endpoint or token. Agents reach it by
//     /mcp/{session}, where the host adds the token.
//   - Everything is asked about the owner of the sandbox. A sandbox, browser or
//     session of another owner can't be told from one that does not exist.
//   - The minutes of each browser that ran are told once, rounded up, counted
//     to its end, or to when it stops by itself where that came first; a
//     recorder that fails is told again.
//   - A browser stops before its sandbox is deleted, and half a minute before it
//     expires, so that the recording gets the last events.
//   - Each goroutine belongs to a session, and [Host.Close] waits for all.
//
// # Saved sign-ins
//
// A browser that is started with sign_in gets the cookies of the app's host
// and the localStorage of its origin that an earlier one of the project had,
// and gives its own back when it stops. What belongs to no project is deleted
// with its sandbox. At rest they are sealed with AES-GCM under the host's key,
// bound to their owner and project. The plain text is overwritten once it has
// been used; what Go's strings and its JSON encoder hold of it lives until it is
// collected or written over.
//
// # Why
//
// Why does a start go on when the one who asked has gone? A person who reloads
// the page would otherwise lose the browser and get an error about it.
//
// Why is the same answer given for a session that is unknown and one that has
// stopped? Sessions of others must not be guessed, and for a run both mean the
// same: its browser is not there.
//
// Why a journal? A browser's minutes are known only when it ends, and a host
// may die before. Its browsers die with it; what it wrote down says how long
// they ran.
//
// Why is a browser's clock the host's? Quotas and bills are the host's matter,
// and a sandbox expires by the host's clock.
package hostapi
