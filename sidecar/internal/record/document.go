package record

import (
	"math"
	"strings"
	"time"
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
	maxAge   = 10 * time.Minute // a page that was frozen or suspended
	maxAhead = 5 * time.Second
)

// class decides what is given up first when not everything can be kept.
type class uint8

const (
	classChange   class = iota // of no use without what came before
	classSnapshot              // lets a replay start anew
	classFact                  // markers, console, actions
)

// item is one event that is ready to be sent.
type item struct {
	class class
	tab   int
	json  []byte
}

// document is one document of one frame, as the library tells of it.
type document struct {
	tab  int
	wall wall
	// child: a frame of another site, whose tree hangs in that of its parent once
	// the place is known.
	child bool
	place int64 // of the frame's element, for everybody; 0 while not known
	begun bool  // there was a snapshot
	fresh bool  // … and it was the last event
	limit int   // bytes of one event
	// driving says whether a person had the controls at a time.
	driving func(ms float64) bool
}

// verdict says what became of a page's event.
type verdict uint8

const (
	taken    verdict = iota
	invalid          // no event of the library, or a hostile one
	useless          // says nothing in its place
	tooLarge         // even when everything was taken off that can be
	homeless         // of a frame whose place is not known yet
)

// event judges and masks one event and gives what is to be sent of it.
func (d *document) event(raw string, now time.Time) ([]item, verdict) {
	v, err := parse(raw)
	if err != nil || v.kind != object {
		return nil, invalid
	}
	typ, ok := v.field("type").whole()
	at, timed := v.field("timestamp").num()
	data := v.field("data")
	if !ok || !timed || typ < eventReady || typ > eventMeta || data == nil || data.kind != object {
		return nil, invalid
	}
	received := float64(now.UnixMilli())
	if at < received-float64(maxAge.Milliseconds()) || at > received+float64(maxAhead.Milliseconds()) {
		return nil, invalid
	}
	d.wall.driving = d.driving != nil && d.driving(at)
	c := classChange
	switch typ {
	case eventMeta:
		if c = classSnapshot; !meta(data) {
			return nil, invalid
		}
	case eventSnapshot:
		if c = classSnapshot; !d.snapshot(data) {
			return nil, invalid
		}
	case eventChange:
		if ok, useful := d.change(data); !ok || !useful {
			return nil, map[bool]verdict{true: useless, false: invalid}[ok]
		}
	}
	if d.child {
		switch {
		case typ == eventSnapshot:
			d.hang(&v, data)
		case typ != eventChange || isSize(data):
			return nil, useless // the page around it has its own
		}
		if d.place == 0 {
			return nil, homeless
		}
	}
	return d.pack(&v, at, c)
}

// pack wraps an event for the store and makes it fit.
func (d *document) pack(v *value, at float64, c class) ([]item, verdict) {
	v.set("tab", intValue(int64(d.tab)))
	fitted, ok := fit(v, at, d.limit)
	if !ok {
		return nil, tooLarge
	}
	out := make([]item, len(fitted))
	for i, json := range fitted {
		out[i] = item{class: c, tab: d.tab, json: d.wall.secrets.scrubTokens(json)}
	}
	return out, taken
}

// hang turns the snapshot of a frame into what it is for its parent's document: a
// tree that appears in the frame's element.
func (d *document) hang(v, data *value) {
	node := *data.field("node")
	v.set("type", intValue(eventChange))
	*data = objectValue("source", intValue(changeMutation),
		"adds", listValue(objectValue("parentId", intValue(d.place), "nextId", value{}, "node", node)),
		"removes", listValue(), "texts", listValue(), "attributes", listValue(),
		"isAttachIframe", value{kind: boolean, text: "true"})
}

func isSize(data *value) bool {
	source, _ := data.field("source").whole()
	return source == changeSize
}

// meta is the page's address and size.
func meta(data *value) bool {
	href := data.field("href")
	if !href.isString() {
		return false
	}
	href.text = publicURL(href.text)
	if href.text == "" {
		href.text = "about:blank"
	}
	for _, key := range []string{"width", "height"} {
		if n, ok := data.field(key).num(); !ok || n < 0 || n > math.MaxInt32 {
			return false
		}
	}
	return true
}

// publicURL is what of an address may be told: origin and path of http and https,
// about:blank as it is, nothing of any other.
func publicURL(url string) string {
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
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return scheme + "://" + host + "/" + path
}

// snapshot is the whole document; what was known of it before is known anew.
func (d *document) snapshot(data *value) bool {
	node := data.field("node")
	if node == nil {
		return false
	}
	old := d.wall.mirror
	d.wall.mirror = newMirror()
	if !d.wall.tree(node, nil, surroundings{}, old) {
		d.wall.mirror = old
		return false
	}
	d.begun, d.fresh = true, true
	return true
}
