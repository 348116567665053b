// Package policy holds the rules of where the browser may go: how a URL is
// read, what belongs to the app, which addresses are public, and what is said
// to whoever is refused. It does no I/O: what it must know of the world (this
// machine's own addresses, a resolver's answers) is handed in. Everything in
// it is safe for use by several goroutines at once.
//
// There are two rules:
//
//   - pages: a main frame shows the app and nothing else ([App.Target] for what
//     a tool asks for, [App.MayNavigate] before a request leaves, [App.OnApp]
//     after the fact);
//   - connections: the app's exact host and port, and public addresses
//     ([App.Destination] before a name is looked up, [Destination.Judge] after,
//     [Destination.MayDial] at the last moment).
//
// A launch config moves both, and [For] is where: further origins are pages of the
// app; further hosts, names of this machine and private addresses are connected
// to; and the narrower egress modes take the public addresses away. A refusal says
// which setting would have allowed it.
//
// # Invariants
//
// A URL is read once, by [ParseURL], and what is handed on is its serialised
// form. A text that our parser and Chromium could read differently is not a
// URL here. Whatever is not known is refused: an unreadable URL, an address
// class that no table names, an IPv6 address outside of global unicast.
//
// What a setting opens is one host and port. A name is opened as a name: where its
// addresses may be private the config says so of that name, and then the first
// answer is kept; no setting opens an address that gives credentials away.
//
// Messages name origins, hosts and ports, never a path or a query: those can
// hold what somebody typed.
//
// # Why
//
// Why not net/url: it reads http:host, backslashes, 0x7f.1 and %6c%6fcalhost
// in another way than a browser does, and each such difference is a way out.
//
// Why checks around the URL library: it takes signed numbers for parts of an
// IPv4 address, extra brackets for IPv6, drops an empty punycode label, and
// spends quadratic time on very long authorities and on paths of very many
// segments. Such texts are refused before or after it.
//
// Why [App.OnApp] knows less about the world than "everything that is not http
// is fine": a main frame that shows data:, file: or another origin's blob: is
// not the app, and only our own calls could have brought it there.
//
// Why localhost is no name to look up where a setting names it: whoever answers for
// names would say what it is.
//
// Why the names of this machine are not one app unless the config says so: callers
// rely on localhost being refused beside an app on 127.0.0.1, and another program
// may listen on the same port of [::1].
//
// Why NAT64 addresses are judged by the IPv4 address inside of them while 6to4,
// Teredo and the IPv4-compatible form are refused: behind DNS64 the first is
// how every IPv4 site looks, and the others carry nothing but tricks today.
package policy
