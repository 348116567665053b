package record

import (
	"encoding/json"
	"math"
	"regexp"
	"time"
	"unicode/utf16"

	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
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
		b.left = min(floodBurst, b.left+max(now.Sub(b.at).Seconds(), 0)*floodRate)
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
			r.marker(e.Time, e.Tab, "page_opened", pair{"url", r.address(e.URL)})
		case event.Navigated:
			r.marker(e.Time, e.Tab, "navigated", pair{"url", r.address(e.URL)})
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
				f := e.Refusal()
				r.marker(e.Time, e.Tab, "refused", pair{"kind", tree.String(f.Kind)}, pair{"target", tree.String(f.Target)},
					pair{"rule", tree.String(f.Rule)}, pair{"reason", tree.String(f.Reason)}, pair{"setting", tree.String(f.Setting)})
			}
		case event.Stopping:
			r.marker(e.Time, 0, "stopping", detail(e, "reason"))
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
	r.out.Lost(deliver.LostByFlood, deliver.Item{Class: deliver.Fact})
	return false
}

// takeover notes who drives, at once, and records it in its turn.
func (r *Recorder) takeover(e event.Event) {
	held, why := e.Detail["held"] == "true", e.Detail["why"]
	human := []pair{
		{"source", tree.String("human")},
		{"user", tree.Object("id", orNull(e.Detail, "user"), "name", orNull(e.Detail, "by"))},
	}
	switch {
	case held:
		r.held.Store(math.MaxInt64)
		if why == "taken" { // else the same person moved to another connection
			r.inbox.push(0, func() { r.marker(e.Time, 0, "takeover_started", human...) })
		}
	default:
		r.hands.pause()
		r.held.Store(e.Time.Add(afterEcho).UnixMilli())
		r.inbox.push(0, func() { r.marker(e.Time, 0, "takeover_ended", append(human, pair{"reason", tree.String(why)})...) })
	}
}

// driving says whether what a page said at a time may be an echo of what a person
// typed.
func (r *Recorder) driving(ms float64) bool { return ms <= float64(r.held.Load()) }

// pair is one more thing that a fact says.
type pair struct {
	key   string
	value tree.Value
}

func detail(e event.Event, key string) pair { return pair{key, tree.String(e.Detail[key])} }

func orNull(detail map[string]string, key string) tree.Value {
	if s, ok := detail[key]; ok {
		return tree.String(s)
	}
	return tree.Value{}
}

// address is a page's, null where it is not told. What was typed may be in its path.
func (r *Recorder) address(url string) tree.Value {
	if url = wall.PublicURL(url); url == "" {
		return tree.Value{}
	}
	return tree.String(r.secrets.ScrubAddress(url))
}

// marker records a fact. Tab 0 is none.
func (r *Recorder) marker(at time.Time, tab int, label string, more ...pair) {
	pairs := []pair{{"label", tree.String(label)}}
	if tab > 0 {
		pairs = append(pairs, pair{"tab", tree.Int(int64(tab))})
	}
	r.fact("marker", at, tab, append(pairs, more...))
}

func (r *Recorder) fact(kind string, at time.Time, tab int, pairs []pair) {
	data := tree.Object()
	for _, p := range pairs {
		data.Set(p.key, p.value)
	}
	whole := tree.Object("kind", tree.String(kind), "timestamp", tree.Int(at.UnixMilli()), "data", data)
	r.out.Add(deliver.Item{Class: deliver.Fact, Tab: tab, JSON: r.secrets.ScrubTokens(whole.Append(nil))})
}

// Filmed records that there is a film of a tab, and which file of the session it is.
func (r *Recorder) Filmed(tab int, from, to time.Time, file string) {
	r.inbox.push(0, func() {
		r.marker(from, tab, "filmed", pair{"file", tree.String(file)}, pair{"to", tree.Int(to.UnixMilli())})
	})
}

// FilmEnded records that nothing is filmed any more, and why.
func (r *Recorder) FilmEnded(at time.Time, reason string) {
	r.inbox.push(0, func() { r.marker(at, 0, "film_ended", pair{"reason", tree.String(reason)}) })
}

// console records an error or a warning. Players read its text under either of two
// names.
func (r *Recorder) console(e event.Event) {
	if !r.allow(e.Tab, e.Time) {
		return
	}
	said := tree.String(hiddenText)
	if !r.driving(float64(e.Time.UnixMilli())) {
		said = tree.String(cut(r.secrets.Scrub(withoutQueries(e.Detail["text"])), maxConsole))
	}
	tab := tree.Value{}
	if e.Tab > 0 {
		tab = tree.Int(int64(e.Tab))
	}
	r.fact("console", e.Time, e.Tab, []pair{{"level", tree.String(e.Detail["level"])}, {"text", said}, {"tab", tab}, {"message", said}})
}

// addresses finds web addresses in a text.
var addresses = regexp.MustCompile(`(?i)https?://[^\s"'<>()]+`)

// withoutQueries cuts query, fragment and user from the addresses in a text.
func withoutQueries(s string) string {
	return addresses.ReplaceAllStringFunc(s, wall.PublicURL)
}

// cut keeps so many UTF-16 units of a text.
func cut(s string, most int) string {
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
	Tab      int // that was on screen when it was done; 0 = none
}

// Action records a tool call where that is asked for.
func (r *Recorder) Action(a Action) {
	if !r.opts.Actions {
		return
	}
	r.inbox.push(0, func() {
		pairs := []pair{{"tool", tree.String(a.Tool)}}
		for _, p := range told(a.Tool, a.Args) {
			pairs = append(pairs, pair{p.key, tree.String(cut(r.secrets.Scrub(p.text), maxConsole))})
		}
		pairs = append(pairs, pair{"duration_ms", tree.Int(a.Duration.Milliseconds())}, pair{"outcome", tree.String(a.Outcome)})
		if a.Tab > 0 {
			pairs = append(pairs, pair{"tab", tree.Int(int64(a.Tab))})
		}
		r.fact("action", a.Start, 0, pairs)
	})
}
