// Package viewer shows a browser to people on the host's own pages: one
// http.Handler with the page of the live view, the tickets for it, and its socket.
//
// Mount it at a path of its own that ends with a slash:
//
//	mux.Handle("/browser/", http.StripPrefix("/browser", viewer.New(browser, who)))
//
// The launch needs Live, with the origin of the host's pages among its Origins.
//
// # Invariants
//
//   - Who may watch, and who may drive, is the host's answer, asked for each ticket.
//   - Requests from other origins get nothing.
//   - The browser's token stays here. The sidecar gets nothing of a request but
//     what opens a socket: no cookie, no authorization of the host's.
//
// # Why
//
// Why is the socket relayed, and not opened to the sidecar by the page? The sidecar
// listens on loopback or inside of a container, and speaks plain HTTP; people sit
// elsewhere, and their pages come by HTTPS. Through the host it is one origin, one
// certificate, one sign-in. A host whose people sit at the same machine can give
// them [supervisor.Browser.Ticket] itself.
//
// Why does the sidecar check the origin again? Whoever else reaches its port must
// not have a page of his own driven by a stolen ticket.
package viewer
