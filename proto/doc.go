// Package proto holds every byte that crosses a process or network border of
// Pillion: the launch config, the ready line, events, commands, tickets, the
// live view's messages, storage states, secrets and errors. It uses the
// standard library only, does no I/O but for readers that it is handed, and
// keeps no state but for the tickets that a verifier has seen.
//
// # Which message crosses which border
//
//	host ──── Launch ───────▶ sidecar    stdin, the first JSON value, or a config file
//	host ──── Command lines ▶ sidecar    stdin, after it; only under a lifeline
//	host ◀─── Ready ───────── sidecar    stdout, the first line
//	host ◀─── Event lines ─── sidecar    stdout, after it; only under a lifeline
//	host ◀─── Error.Line ──── sidecar    stderr, the last line of a failed start
//	host ◀─── StorageState ── sidecar    GET /storage-state, with the bearer token
//	host ──── ticket ───────▶ a person's page ── ticket ──▶ sidecar
//	page ◀─── Live messages ─ sidecar    the WebSocket at /live
//	host ◀─── recording ───── sidecar    posted to an ingest, or a file: see package archive
//
// A host writes with [Launch.Encode] and [Command.Encode], and reads with
// [DecodeReady], [DecodeEvent], [ParseErrorLine] and [DecodeStorageAnswer]. A
// sidecar reads with [ReadLaunch], [DecodeLaunch], [NewLineReader] and
// [DecodeCommand], and writes the rest. [SignTicket] is the host's half of a
// ticket and [TicketVerifier] the sidecar's.
//
// Every Encode gives one line of compact JSON without its newline.
//
// # A session on the wire
//
//	stdin   {"app_url":"http://127.0.0.1:3000","token":"…","lifeline":true}
//	stdout  {"ready":true,"port":41234,"version":"0.1.0","pid":4711,"mcp_url":"…",…}
//	stdin   {"type":"ping","id":"1"}
//	stdout  {"type":"pong","at":1800000000000,"detail":{"id":"1"}}
//	stdin   (ends: the host died)
//	stdout  {"type":"stopping","at":…,"reason":"parent_gone",…}
//	stdout  {"type":"stopped","at":…,"reason":"parent_gone",…}
//
// Without "lifeline" the sidecar reads stdin to its end before it starts, the
// end means nothing, and stdout carries the ready line alone.
//
// # The promise of compatibility
//
// Pillion stands in for an older sidecar, called the original in this module,
// and its callers notice nothing:
//
//   - Keys, literals, orders and limits of the original hold. In each message
//     its keys come first and in its order; ours follow and are optional.
//   - Whoever knows only the original's keys gets the original's behaviour.
//     What is new is switched on by a key of ours.
//   - Readers ignore keys, event types and live messages that they do not
//     know. In a launch config an unknown key gives a [Warning].
//   - Codes are only added. The texts of messages and hints may change; they
//     are for people.
//
// Golden files in testdata/wire pin each message, written and read.
//
// # Rules of reading
//
// Both ends of the original are JavaScript and Ruby, so JSON is read as they
// read it: keys are compared case by case, the last of two equal keys wins,
// null is an absent key (but for chromium_sandbox), 5.0 and 5e0 are the integer
// 5 and "5" is not, lengths count UTF-16 units, white space is what \s matches.
// Foreign JSON may nest 64 levels; a config may have 20 MiB and a line 1 MiB.
//
// A point in time is a number of epoch milliseconds or an ISO 8601 string:
// RFC 3339, the same without seconds or without a zone (then this machine's),
// or a date alone (midnight UTC). Other forms that JavaScript takes are refused.
//
// # Secrets
//
// A [Secret] has no way out but [Secret.Reveal]: formatters and loggers show a
// mask and encoders fail. [Launch] follows the same rule with [Launch.Encode],
// and a [StorageState] shows counts. No message of an [Error], a [Failure] or a
// [Warning] repeats a value of a config; the exception is a line that was meant
// to be a message and is none, of which the head is quoted.
//
// # Where the numbers come from
//
//	32 characters of a token                   the original
//	20 s agent wait, at most 45 s; 10 s grace  the original: callers give up after 60 s
//	1000 events, 1 MiB a batch                 the original
//	30 s ticket, 60 s accepted, 5 s skew       the original
//	2048, 16 to 64, 256, 80 characters         the original's ticket, id, subject, name
//	1280 x 800                                 the original's page
//	4096 remembered tickets                    ours: 65 s of sixty tickets a second
//	20 MiB config                              ours: one origin's localStorage in UTF-8, and room
//	1 MiB line, 64 levels                      ours: far above any message, far below harm
//	10000 x 10000                              ours: what Chromium still draws
//	100000 characters of a page                ours: some 25,000 tokens, what clients take in one answer
//	8000 pixels of a picture's side            ours: models refuse more
//	1000 allowed origins, hosts; 256 KiB PEM   ours: far above lists that are kept by hand
//
// # Why
//
// Why no structs for decoding: encoding/json matches keys in any case, so
// "Token" would set token, and takes no 5.0 for an int. Plain values and one
// function for each rule say exactly what is accepted.
//
// Why a URL parser is handed in: the parser must be the browser's kind, which
// the standard library's is not, and must be the same one that judges
// navigations.
//
// Why DisableChromiumSandbox and not the wire's chromium_sandbox: a host that
// leaves a Go field alone must get the sandbox.
//
// Why AgentWaitMS has [NoAgentWait]: 0 is a time of its own on the wire, and in
// Go it is the field that was left alone.
//
// Why all failures: a person who fixes a config by hand should not meet its
// mistakes one by one; programs read the first, as before.
//
// Why an entry of allow_hosts that reaches this machine or a private network must
// name its port: what it opens is one service, not a machine.
//
// Why private is said of each name: whoever answers for a name could otherwise
// lead a listed one into the network that the sidecar stands in.
//
// Why a cookie of a bare top-level name is dropped: Chromium refuses it and the
// whole batch of cookies that it comes in.
package proto
