// Package httpd is the sidecar's one listener: it decides who may speak, routes
// by the exact path, and stops in an order that lets answers out.
//
// # Invariants
//
//   - Each request passes the guard before its path, its body or anything else
//     of it is looked at: the Host header, then any Origin, then the token. Only
//     the live view's upgrade has a guard of its own, which asks for an Origin
//     that it knows instead of the token, since a browser's page makes it. The
//     sidecar's own page, where there is one, is shown without the token: a
//     browser could not send it, and the page holds nothing.
//   - A head that two readers of HTTP could take for different requests (a length
//     beside chunks, a folded line, a bare newline) is refused before all that, and
//     what follows it is never read.
//   - The address is the one that was configured, and the accepted Host values
//     are computed from the port that was really opened, before anything is
//     served.
//   - Paths are compared as they were sent: nothing is decoded, cleaned or
//     redirected, so there is one spelling of each route.
//   - Every answer but a file and the metrics is JSON that no cache keeps, with its exact length;
//     there is no CORS header on any of them.
//   - A file is sent to be saved: with a type from a short list, or none, and
//     without anything that would let it run under this server's origin.
//   - Nobody can hold a connection for free: headers, bodies, answers and
//     silence each have their time. And those who have shown no token can't take
//     the connections of those who will: their number is bounded, and the oldest
//     goes for the newest.
//   - A panic in a handler is an answer of 500 and a stack in the log.
//
// # Why
//
// Why is an absolute request target ("GET http://host/mcp") refused, whatever
// it names? Its authority takes the place of the Host header in net/http, which
// throws the header away, so that the header could not be checked. Nobody but a
// client that believes to be talking to a proxy sends one.
//
// Why no http.ServeMux? It redirects what it finds unclean and matches the
// decoded path, so that several spellings would reach one route.
//
// Why is "Upgrade: h2c" no upgrade? Some HTTP libraries offer it with each
// request. A server may always ignore an offer, and answering it as a refused
// upgrade would lock those clients out.
//
// Why does malformed HTTP get an answer, and one that is not JSON? It is
// net/http's own, given before any handler: a status line, a word, and the
// connection's end.
//
// Why not http.Server.Shutdown? It waits for idle connections by polling and
// knows nothing of an answer that a stopping gateway still has to give. Here
// the listener closes, the gateway answers what waits, those answers are
// flushed, and then every connection is cut.
package httpd
