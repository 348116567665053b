// Package live lets people watch a browser and drive it: a WebSocket for each
// viewer, a ticket as its first message, then pictures of the tab on screen and
// what happens, and the person's input on the way back.
//
// A [Hub] takes over upgraded requests ([Hub.ServeHTTP]); who may open a socket at
// all was decided before, by the listener. What is shown comes from a [Screen],
// and the right to drive from a [takeover.Lease], which the hub owns: it is also
// the agents' gate.
//
// # Invariants
//
//   - Nothing is sent to a socket that has not shown a valid ticket, but the close
//     frame.
//   - A viewer who can't keep up misses pictures, and nothing else; whoever leaves
//     even small messages unread is disconnected. Nobody waits for them: neither
//     the other viewers nor Chromium, beyond [ackLimit].
//   - A viewer's messages are handled in their order. Input is passed on only
//     while its connection holds the lease, judged at that moment; when control
//     ends, whatever is held down is let go, and nothing follows.
//   - A connection that gives no sign of life for [silenceLimit] is gone.
//   - No input is logged, told or kept.
//   - Pictures are taken only while somebody watches.
//
// # What viewers may ask for
//
// A viewer's auth message may have "features", a list of names; {"type":"features"}
// after ready says which of them it gets. Whoever asks for none sees nothing of
// this.
//
//   - ask: {"type":"ask","ask":{"id","instructions","since","until"} or null}: an
//     agent asks a person for something; the times are epoch milliseconds. Who
//     drives answers {"type":"answer","id","done":true}, which also hands back, or
//     the same without done to decline. Who does not drive adds a control "ticket".
//     Handing back in any other way means done as well.
//   - clipboard: {"type":"copy"} is answered by {"type":"clipboard","text"}, what is
//     selected on the page; nothing of a password field is.
//   - downloads: {"type":"download","download":{"id","name","state","size","why"}},
//     where state is begun, completed, refused or canceled. Who drives saves a
//     completed one by {"type":"fetch","id","at"}, a place in the file, for each
//     part; {"type":"part","id","name","size","at","data"} answers, with at most
//     64 KiB in base64, none of them at the end.
//   - pickers: {"type":"picker","picker":{"id","kind","label","options":[{"label",
//     "group","disabled"}],"selected","value","min","max","step"} or null}: what
//     Chromium opens in a window of its own, which is in no picture. The answer is
//     {"type":"pick","id"} with the "index" of an option, a "value" as the kind of
//     input writes it, or "cancel":true.
//   - binary: pictures come as binary messages: four bytes, big end first, with the
//     length of a JSON text, that text ({"type":"frame","width","height","seq",
//     "age_ms"}), and the JPEG.
//   - mac: the command key means Control.
//   - modals: {"type":"dialog","dialog":{"kind","message","default"} or null} and
//     {"type":"chooser","chooser":{"multiple"} or null}. Answers: {"type":"dialog",
//     "accept","text"}; {"type":"file","name","data"} for the beginning of a file
//     (base64) and the same without a name for more of it, then
//     {"type":"choose"}, or {"type":"choose","cancel":true}.
//   - touch: {"type":"touch","points":[{"id","x","y"}],"modifiers"}: the fingers that
//     are down now, at most five, told at each change; a finger has the same id from
//     0 to 4 for as long as it is down. "cancel":true instead of a lift takes back
//     what they began. The page gets touch events, and what follows from them.
//   - tabs: {"type":"tabs","tabs":[{"id","title","url","current"}],"loading"}. Wishes:
//     {"type":"open","url"}, back, forward, reload, new_tab, and show_tab and
//     close_tab with an "id".
//
// Answers and wishes are gated like input. What could not be done is answered by
// {"type":"error"} with a code of package proto.
//
// # Why
//
// Why one picture in each viewer's mailbox, and not a queue? Whoever is behind
// wants to see what is now. Chromium is told to go on when the slowest viewer that
// keeps up has the picture, so that it draws no more than somebody can see.
//
// Why are sockets without a ticket counted apart from viewers? Anyone who reaches
// the port can open some; they must not keep people out.
//
// Why does a file that a page saved come by the socket, and not by an address? The
// right to have it is that of whoever drives, judged at each part, and ends with
// it. An address would need a secret of its own, would stay in histories and logs,
// and a host that relays the socket would have to relay it, too.
//
// Why is no touch screen emulated for fingers? Pages ask at their start whether
// there is one, and would be others for the agent because somebody looks with a
// phone. Touch events arrive without it; pages that bind none get the click or
// the scrolling that Chromium makes of them.
//
// Why is too much input slowed down, not dropped? A key that went down must come
// up. The socket itself pushes back, on nobody but the sender.
package live
