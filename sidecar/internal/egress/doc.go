// Package egress is the only way out of the browser: a forward proxy on a
// loopback listener that judges every connection before it is made. Chromium is
// told of it by a switch, and of nothing else.
//
// Plain requests in absolute form are forwarded; everything else (https:, ws:,
// wss:) is tunnelled by CONNECT. What may be reached is package policy's to say:
// the app's exact host and port, and the public internet. This package adds the
// looking up, the dialling, the limits and the record of what was refused.
//
// # Invariants
//
//   - Only addresses that were judged are dialled. A name is looked up once for
//     a connection; all of its answers are judged together; the dialler gets the
//     judged addresses, never the name, and judges once more what it is about to
//     connect to.
//   - The app's name, and every other that the config lets be private, keeps the
//     addresses that it had first: an exception must not follow the DNS.
//   - In the narrower egress modes a name that is not listed is not looked up.
//   - TLS is ended here for the app's host alone, and only where the config gives
//     it a certificate of its own; see [Voucher]. Everybody else's bytes pass.
//   - A refusal says one of a fixed set of sentences about a host and port that
//     the browser named itself: no address that a name led to, no error text of
//     the system.
//   - With credentials set, nobody learns anything without them but 407.
//   - Every byte count, time and number of things is bounded; see limits.go.
//   - Nothing that a server sends ends more than its own exchange, and a broken
//     answer is passed on as a broken connection, never as a complete one.
//   - Environment variables decide nothing.
//
// # Why
//
// Why not goproxy: to be safe here it must be disarmed piece by piece. Its
// CONNECT dialler comes from HTTPS_PROXY, its transport skips TLS verification,
// it adds ports, forwards Upgrade and what Connection names, echoes dial errors
// with the addresses in them, and loses sight of a tunnel once it runs. What is
// left of it after that is less than what replaces it.
//
// Why not a net/http server either: it parses request targets with net/url and
// answers 400 to the perfectly ordinary http://app/100%, it can't show a request
// that has both a Content-Length and a Transfer-Encoding, and it words its own
// refusals. Reading one request head is a page of code, in head.go. The other
// half, talking to servers, is net/http's Transport: its pool, its response
// parser and its limits are better than ours would be.
//
// Why a request that carries Sec-Purpose: prefetch is refused: Chromium makes
// speculative requests from its browser process, where no debugging client sees
// them, and a later click shows their answer. Pages work without.
//
// Why WebRTC gets no tunnel: over UDP it is stopped in the browser, and over TCP it
// would carry what a page likes past every rule about requests, to a server whose
// very name can be a message.
//
// Why the proxy ends TLS for the app's own certificate, in place of telling
// Chromium to overlook it: Chromium can overlook errors for every host, or for
// every host that has a certain key. A key that only this proxy has, and uses for
// one host, is how it is done for one host; it holds for pages, sockets and
// workers alike, and after Chromium's network process died.
//
// Why a server's 407 becomes 502: to the browser it would be this proxy asking.
package egress
