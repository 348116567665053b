package egress

import "time"

// The bounds, each with its reason. A page decides how many connections, names
// and bytes there are; these keep it from deciding what the machine has left.
const (
	// lookupTimeout is longer than a resolver's own retry of one lost packet.
	lookupTimeout = 5 * time.Second
	// positiveTTL is how long answers are kept. It is long enough for one page
	// load to see one answer, and is what the original did.
	positiveTTL = 60 * time.Second
	// negativeTTL only merges a burst: a service that comes up a moment late must
	// not stay unknown.
	negativeTTL = 2 * time.Second
	// maxNames bounds the cache; a page can make up names for ever.
	maxNames = 1024
	// maxAnswers is far above any honest name's number of addresses.
	maxAnswers = 64

	// connectTimeout is for all addresses of one destination together.
	connectTimeout = 10 * time.Second
	// fallbackDelay is how long one address may take before the next is tried as
	// well: the pause that browsers use.
	fallbackDelay = 250 * time.Millisecond
	// maxDialled bounds the addresses tried for one connection.
	maxDialled = 8

	// headTimeout is for a request head, from its first byte on.
	headTimeout = 30 * time.Second
	// idleTimeout is for a client's connection between two requests; Chromium
	// gives up its own after five minutes.
	idleTimeout = 5 * time.Minute
	// firstByteTimeout is for a tunnel through which the client has sent nothing.
	firstByteTimeout = 60 * time.Second
	// silenceTimeout ends an exchange or tunnel in which nothing moves. It is long
	// because a quiet WebSocket, an event stream and a server that stands in a
	// debugger are all healthy.
	silenceTimeout = time.Hour
	// halfClosedTimeout replaces it in a tunnel of which one side has ended:
	// browsers end both, and some servers never notice.
	halfClosedTimeout = 30 * time.Second
	// pooledTimeout is for a server's idle connection in the pool. It is shorter
	// than the shortest common keep-alive (5 s), so that a request which can't be
	// repeated hardly ever meets a connection that the server is just closing.
	pooledTimeout = 4 * time.Second
	// lingerTimeout is how long a refused client may go on sending, so that it
	// reads the answer instead of a reset.
	lingerTimeout = time.Second
	// acceptPause is the wait after a failed accept, which means that the process
	// is out of descriptors.
	acceptPause = 50 * time.Millisecond

	// maxConns is four times what Chromium opens to one proxy.
	maxConns = 512
	// maxPooled bounds idle connections to servers, maxPerHost those to one.
	maxPooled  = 128
	maxPerHost = 64
	// maxHead is for a request head. Servers take 8 to 64 KiB.
	maxHead = 128 << 10
	// maxResponseHead is Chromium's own limit.
	maxResponseHead = 256 << 10
	// maxLinger is how much of a refused client's body is read and dropped.
	maxLinger = 4 << 20
	// maxBody is for one direction of one exchange or tunnel.
	maxBody = 8 << 30

	// refusalWindow, maxRefusalsPerHost and maxRefusals bound what is reported: so
	// many refusals of one host, and of all, in one window. The rest is counted.
	refusalWindow      = time.Minute
	maxRefusalsPerHost = 5
	maxRefusals        = 100
)

// Limits are the bounds that a test shortens. A zero field means the default.
type Limits struct {
	Conns                                                               int
	Body                                                                int64
	Connect, Head, Idle, FirstByte, Silence, HalfClosed, Lookup, Linger time.Duration
	PositiveTTL, NegativeTTL                                            time.Duration
}

func (l Limits) withDefaults() Limits {
	or := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	or(&l.Connect, connectTimeout)
	or(&l.Head, headTimeout)
	or(&l.Idle, idleTimeout)
	or(&l.FirstByte, firstByteTimeout)
	or(&l.Silence, silenceTimeout)
	or(&l.HalfClosed, halfClosedTimeout)
	or(&l.Lookup, lookupTimeout)
	or(&l.Linger, lingerTimeout)
	or(&l.PositiveTTL, positiveTTL)
	or(&l.NegativeTTL, negativeTTL)
	if l.Conns == 0 {
		l.Conns = maxConns
	}
	if l.Body == 0 {
		l.Body = maxBody
	}
	return l
}
