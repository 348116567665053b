// Package app is the site under test: a small shop's order ledger, with a
// laboratory of pages that do everything a browser tool must cope with.
//
// It is what the tests, the demo and the benchmarks browse. It needs nothing
// from outside: HTML, CSS, scripts and pictures are embedded, state lives in
// memory, and an App is an http.Handler that many requests may use at once.
//
// # The shop
//
//	/                   signed in: heading "Orders", figures, newest orders; else a link to sign in
//	/login, /logout     user "ada", password "correct horse"; a wrong one shows an alert region
//	/orders             the table: ?sort=number|customer|date|status|total&dir=asc|desc&page=N&q=TEXT
//	/orders/new         a form with every kind of control; POST /orders confirms
//	/orders/N           one order, heading "Order confirmed" after it was placed, all values echoed
//	/form               the same form without signing in
//
// # The laboratory, listed on /lab
//
//	/dialogs            alert, confirm, prompt, beforeunload; ?on=load&kind=alert|confirm|prompt
//	/popups             window.open, target=_blank, noopener; ?auto=N opens N without a gesture
//	/frames             same-origin, srcdoc, nested and cross-site frames (see Why)
//	/shadow             open and closed shadow roots, slots
//	/downloads          odd names; /downloads/file?name=N&type=T&size=B&inline=1; /downloads/large?bytes=B&length=0&cut=1
//	/uploads            answers with name, type, size and SHA-256 of each file
//	/slow               ?headers=2s&body=5s&chunks=10; /slow/load never fires "load"; /slow/image?for=0 never ends
//	/broken             /broken/status?code=C, reset, truncated, close, garbage, html, empty, nocontent, gzip, charset
//	/redirect           /redirect/301|302|303|307|308?to=URL, meta, header, js, chain?n=N, loop
//	/websocket, /ws     echo; /ws?greet=TEXT speaks first, ?close=CODE closes at once
//	/events             server-sent events: /events/stream?every=100ms&n=N
//	/mutate             changes its DOM every 16 ms
//	/late               a button that can be pressed only after ?after=400 ms
//	/covered            buttons under an overlay, a toast that leaves, a sticky header
//	/moving             a button that comes to rest after ?for=800 ms and one that never does
//	/long?n=10000       n DOM nodes
//	/spa                a single-page app: pushState, fetch, history
//	/hover, /drag, /keys, /canvas
//	/console            log levels, uncaught errors, unhandled rejections; ?on=load
//	/network            fetch, XHR and beacons of many fates; ?on=load; /api/status?code=C&delay=D, /api/echo
//	/worker             service, dedicated and shared workers
//	/speculation        ?prefetch=URL&prerender=URL (each may repeat)
//	/webrtc?stun=URL    gathers ICE candidates and shows them
//	/leave?to=URL       every way to leave the app; ?how=WAY takes one on load
//	/strict             a content policy that allows next to nothing, trusted types included
//	/hostile            overrides the natives that an in-page script may lean on
//	/storage            cookies, localStorage, sessionStorage
//	/languages/ja|ar|he whole pages in Japanese, Arabic and Hebrew
//
// # What a test can read
//
// App.Requests, App.Hits, App.Orders, App.Uploads and App.Account in process;
// the same as JSON under /debug/state (POST /debug/reset forgets it). Each
// laboratory page keeps its own account of what happened to it: visible in the
// page's log, as window.account (an array of {kind, text}), and, when the page
// was opened with ?report=1, posted to the server as it happens.
//
// # Invariants
//
//   - No page refers to another site, except to a URL that its query names.
//   - Whatever a visitor sends is shown escaped.
//   - Every handler that waits ends when its client leaves or when Close is
//     called, and Close returns after the last of them.
//
// # Why
//
// Reports are off unless asked for: a page that posts on every click would
// change the very thing that is measured, the requests that an action causes.
//
// A cross-site frame is this same server under its other loopback name: a page
// on 127.0.0.1 frames localhost and the reverse, taken from the request's Host.
// That is a different site for Chromium without any name server.
//
// The content policy is strict on every page that does not need otherwise, so
// that a tool which injects its script in the wrong way is found out at once.
package app
