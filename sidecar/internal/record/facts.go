package record

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

const (
	// maxConsole is how much of a console message is recorded, in UTF-16 units: the
	// original's.
	maxConsole = 2000
	// A tab that writes on its console in a loop, or is refused in one, must not use
	// up the recording: so many at once, and so many a second from then on.
	floodBurst = 200
	floodRate  = 20
	// afterEcho is how long after a person let go of the controls what pages say may
	// still be an echo of what was typed.
	afterEcho = time.Second
	// hiddenText stands for what a console said while a person drove.
	hiddenText = "[hidden while a person drives]"
)

// bucket lets a number of events through and then a rate.
type bucket struct {
	left float64
	at   time.Time
}

func (b *bucket) take(now time.Time) bool {
	if b.at.IsZero() {
		b.left = floodBurst
	} else {
		b.left = min(floodBurst, b.left+now.Sub(b.at).Seconds()*floodRate)
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// happened listens to the session's events. It must not wait.
func (r *Recorder) happened(e event.Event) {
	if e.Kind == event.Takeover {
		r.takeover(e)
		return
	}
	r.inbox.push(0, func() {
		switch e.Kind {
		case event.PageOpened:
			r.marker(e.Time, e.Tab, "page_opened", "url", urlValue(e.URL))
		case event.Navigated:
			r.marker(e.Time, e.Tab, "navigated", "url", urlValue(e.URL))
		case event.PageClosed:
			r.marker(e.Time, e.Tab, "page_closed")
			r.pages.close(e.Tab)
			delete(r.floods, e.Tab)
		case event.Crashed:
			r.marker(e.Time, e.Tab, "crashed")
		case event.Console:
			r.console(e)
		case event.Refused:
			if r.allow(0, e.Time) {
				r.marker(e.Time, e.Tab, "refused", "kind", stringValue(e.Detail["kind"]),
					"target", stringValue(e.Detail["target"]), "rule", stringValue(e.Detail["rule"]))
			}
		case event.Stopping:
			r.marker(e.Time, 0, "stopping", "reason", stringValue(e.Detail["reason"]))
		}
	})
}

// allow keeps floods out. Tab 0 is for what belongs to none.
func (r *Recorder) allow(tab int, at time.Time) bool {
	b := r.floods[tab]
	if b == nil {
		b = &bucket{}
		r.floods[tab] = b
	}
	if b.take(at) {
		return true
	}
	r.account.recorded(1)
	r.lose(LostByFlood, item{class: classFact})
	return false
}

// takeover notes who drives, at once, and records it in its turn.
func (r *Recorder) takeover(e event.Event) {
	held, why := e.Detail["held"] == "true", e.Detail["why"]
	user := objectValue("id", orNull(e.Detail, "user"), "name", orNull(e.Detail, "by"))
	if held {
		r.held.Store(math.MaxInt64)
		if why == "taken" {
			r.inbox.push(0, func() { r.marker(e.Time, 0, "takeover_started", "source", stringValue("human"), "user", user) })
		}
		return
	}
	r.held.Store(e.Time.Add(afterEcho).UnixMilli())
	r.inbox.push(0, func() {
		r.marker(e.Time, 0, "takeover_ended", "source", stringValue("human"), "user", user, "reason", stringValue(why))
	})
}

func orNull(detail map[string]string, key string) value {
	if s, ok := detail[key]; ok {
		return stringValue(s)
	}
	return value{}
}

// driving says whether what a page said at a time may be an echo of what a person
// typed.
func (r *Recorder) driving(ms float64) bool { return ms <= float64(r.held.Load()) }

func urlValue(url string) value {
	if url = publicURL(url); url == "" {
		return value{}
	}
	return stringValue(url)
}

// marker records a fact. Tab 0 is none.
func (r *Recorder) marker(at time.Time, tab int, label string, more ...any) {
	data := objectValue("label", stringValue(label))
	if tab > 0 {
		data.set("tab", intValue(int64(tab)))
	}
	rest := objectValue(more...)
	for i, key := range rest.c.keys {
		data.set(key, rest.c.items[i])
	}
	r.fact("marker", at, tab, data)
}

func (r *Recorder) fact(kind string, at time.Time, tab int, data value) {
	b := append([]byte(`{"kind":"`), kind...)
	b = append(b, `","timestamp":`...)
	b = strconv.AppendInt(b, at.UnixMilli(), 10)
	b = data.appendTo(append(b, `,"data":`...))
	r.record(item{class: classFact, tab: tab, json: r.secrets.scrubTokens(append(b, '}'))})
}

// console records an error or a warning. Players read its text under either of two
// names.
func (r *Recorder) console(e event.Event) {
	if !r.allow(e.Tab, e.Time) {
		return
	}
	said := hiddenText
	if !r.driving(float64(e.Time.UnixMilli())) {
		said = cutText16(r.secrets.scrub(withoutQueries(e.Detail["text"])), maxConsole)
	}
	tab := value{}
	if e.Tab > 0 {
		tab = intValue(int64(e.Tab))
	}
	r.fact("console", e.Time, e.Tab, objectValue("level", stringValue(e.Detail["level"]), "text", stringValue(said),
		"tab", tab, "message", stringValue(said)))
}

// addresses finds web addresses in a text.
var addresses = regexp.MustCompile(`(?i)https?://[^\s"'<>()]+`)

// withoutQueries cuts query, fragment and user from the addresses in a text.
func withoutQueries(s string) string {
	return addresses.ReplaceAllStringFunc(s, publicURL)
}

// cutText16 keeps so many UTF-16 units of a text.
func cutText16(s string, most int) string {
	units := 0
	for i, c := range s {
		if units += utf16.RuneLen(c); units > most {
			return s[:i]
		}
	}
	return s
}

// Action is one tool call of the agent.
type Action struct {
	Tool     string
	Args     json.RawMessage // as the tool got them; what is typed is not recorded
	Start    time.Time
	Duration time.Duration
	Outcome  string
}

// Action records a tool call where that is asked for.
func (r *Recorder) Action(a Action) {
	if !r.opts.Actions {
		return
	}
	r.inbox.push(0, func() {
		data := objectValue("tool", stringValue(a.Tool))
		for _, f := range told(a.Tool, a.Args) {
			data.set(f.key, stringValue(cutText16(r.secrets.scrub(f.text), maxConsole)))
		}
		data.set("duration_ms", intValue(a.Duration.Milliseconds()))
		data.set("outcome", stringValue(a.Outcome))
		r.fact("action", a.Start, 0, data)
	})
}
