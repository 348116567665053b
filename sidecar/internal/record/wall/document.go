package wall

import (
	"math"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

// The library's events and, of a change, what changed.
const (
	eventReady    = 0
	eventLoad     = 1
	eventSnapshot = 2
	eventChange   = 3
	eventMeta     = 4

	changeMutation  = 0
	changeMove      = 1
	changeClick     = 2
	changeScroll    = 3
	changeSize      = 4
	changeInput     = 5
	changeTouch     = 6
	changeMedia     = 7
	changeRule      = 8
	changeFont      = 10
	changeDrag      = 12
	changeStyle     = 13
	changeSelection = 14
	changeAdopted   = 15
	changeElement   = 16
)

// Bounds of an event's time against the time of its arrival: it is sent within a
// second, by a page on the same clock.
const (
	maxAge   = 10 * time.Minute // a page that was frozen, a machine that slept
	maxAhead = 5 * time.Second
)

// Options is what a Document is made of.
type Options struct {
	Tab int
	// Child says that it is the document of a frame whose parent's recorder can't
	// see into it. Its snapshots become trees in the parent's document, below the
	// element that [Document.Place] names.
	Child   bool
	IDs     *IDs
	Secrets *Secrets
	Limit   int // bytes of one event
	// Driving says whether a person had the controls at a time, in epoch
	// milliseconds; nil: never.
	Driving func(ms float64) bool
}

// Document is one document of one frame, as the library tells of it. It is for one
// goroutine.
type Document struct {
	opts  Options
	wall  wall
	place int64 // of the frame's element, for everybody; 0 while not known
	shown bool  // a snapshot was sent, so changes of it mean something
}

// New makes a document of which nothing is known yet.
func New(o Options) *Document {
	return &Document{opts: o, wall: wall{ids: &idMap{from: o.IDs}, mirror: newMirror(), secrets: o.Secrets}}
}

// Shown says whether a replay has the document: its snapshot was sent.
func (d *Document) Shown() bool { return d.shown }

// Place says in which element of its parent's document, by its id for everybody,
// the frame is.
func (d *Document) Place(id int64) { d.place = id }

// Global is the id for everybody of one of the document's nodes.
func (d *Document) Global(id int64) (int64, bool) {
	if id <= 0 {
		return 0, false
	}
	return d.wall.ids.global(id)
}

// Verdict says what became of a page's event.
type Verdict uint8

// The verdicts.
const (
	Taken    Verdict = iota
	Invalid          // no event of the library, or a hostile one
	Useless          // says nothing in its place
	TooLarge         // even when everything was taken off that can be
	Homeless         // of a frame whose place is not known yet
)

// Result is a judged event.
type Result struct {
	Verdict  Verdict
	Snapshot bool // it is, or was, the whole document
	// Restart: a replay can start from here; else it is a change of what was before.
	Restart bool
	Events  [][]byte // as the store takes them
}

// Event judges and masks one event and gives what is to be sent of it.
func (d *Document) Event(raw string, now time.Time) Result {
	v, err := tree.Parse(raw)
	if err != nil {
		return Result{Verdict: Invalid}
	}
	typ, ok := v.Get("type").Whole()
	at, timed := v.Get("timestamp").Number()
	data := v.Get("data")
	if !ok || !timed || typ < eventReady || typ > eventMeta || !data.IsObject() {
		return Result{Verdict: Invalid}
	}
	received := float64(now.UnixMilli())
	if at < received-float64(maxAge.Milliseconds()) || at > received+float64(maxAhead.Milliseconds()) {
		return Result{Verdict: Invalid}
	}
	d.wall.driving = d.opts.Driving != nil && d.opts.Driving(at)
	res := Result{Snapshot: typ == eventSnapshot, Restart: typ == eventSnapshot || typ == eventMeta}
	switch typ {
	case eventMeta:
		if !meta(data, d.opts.Secrets) {
			return Result{Verdict: Invalid}
		}
	case eventSnapshot:
		if !d.snapshot(data) {
			return Result{Verdict: Invalid}
		}
	case eventChange:
		if !d.change(data) {
			return Result{Verdict: Invalid}
		}
	}
	if d.opts.Child {
		switch {
		case typ == eventSnapshot:
			d.hang(&v, data)
		case typ != eventChange || isSize(data):
			return Result{Verdict: Useless} // the page around it has its own
		}
		if d.place == 0 {
			res.Verdict = Homeless
			return res
		}
	}
	if typ == eventChange && (!d.shown || isEmptyFrame(data)) {
		return Result{Verdict: Useless}
	}
	v.Set("tab", tree.Int(int64(d.opts.Tab)))
	if res.Events, ok = fit(&v, at, d.opts.Limit); !ok {
		res.Verdict = TooLarge
		return res
	}
	d.shown = d.shown || res.Snapshot
	for i := range res.Events {
		res.Events[i] = d.opts.Secrets.ScrubTokens(res.Events[i])
	}
	return res
}

// hang turns the snapshot of a frame into what it is for its parent's document: a
// tree that appears in the frame's element.
func (d *Document) hang(v, data *tree.Value) {
	node := *data.Get("node")
	v.Set("type", tree.Int(eventChange))
	*data = tree.Object("source", tree.Int(changeMutation),
		"adds", tree.List(tree.Object("parentId", tree.Int(d.place), "nextId", tree.Value{}, "node", node)),
		"removes", tree.List(), "texts", tree.List(), "attributes", tree.List(), "isAttachIframe", tree.Bool(true))
}

// isEmptyFrame says whether a frame's document appears before it has anything in it.
// It is told again when it has, and a player keeps to what it was told first.
func isEmptyFrame(data *tree.Value) bool {
	adds := data.Get("adds").Items()
	return data.Get("isAttachIframe").IsTrue() && len(adds) == 1 && len(adds[0].Get("node").Get("childNodes").Items()) == 0
}

func isSize(data *tree.Value) bool {
	source, _ := data.Get("source").Whole()
	return source == changeSize
}

// meta is the page's address and size.
func meta(data *tree.Value, secrets *Secrets) bool {
	href := data.Get("href")
	if !href.IsString() {
		return false
	}
	public := PublicURL(href.Text())
	if public == "" {
		public = "about:blank"
	}
	*href = tree.String(secrets.ScrubAddress(public))
	for _, key := range []string{"width", "height"} {
		if n, ok := data.Get(key).Number(); !ok || n < 0 || n > math.MaxInt32 {
			return false
		}
	}
	return true
}

// PublicURL is what of an address may be told: origin and path of http and https,
// about:blank as it is, nothing of any other.
func PublicURL(url string) string {
	if url == "about:blank" {
		return url
	}
	scheme, rest, ok := strings.Cut(url, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return ""
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	host, path, found := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if !found {
		return scheme + "://" + host
	}
	return scheme + "://" + host + "/" + path
}

// snapshot is the whole document; what was known of it before is known anew.
func (d *Document) snapshot(data *tree.Value) bool {
	node := data.Get("node")
	if node == nil {
		return false
	}
	if d.opts.Child {
		id, _ := node.Get("id").Whole()
		d.wall.root, _ = d.Global(id)
	}
	old := d.wall.mirror
	d.wall.mirror = newMirror()
	if !d.wall.tree(node, nil, surroundings{}, old) {
		d.wall.mirror = old
		return false
	}
	return true
}
