package browser

import "time"

// Bounds of what is logged and told of refused navigations. A page can try to leave
// thousands of times a second; what it does is remembered all the same, and counted.
const (
	tellingWindow    = time.Minute
	maxToldOfOrigin  = 20
	maxToldOfOrigins = 300
)

// telling decides which refusals are told.
type telling struct {
	window  time.Time // start of the running one
	origins map[string]int
	told    int
	untold  int
}

// next says whether one more refusal of an origin is told, and how many were not
// since the last one that was.
func (t *telling) next(origin string, now time.Time) (untold int, tell bool) {
	if now.Sub(t.window) >= tellingWindow {
		t.window, t.origins, t.told = now, map[string]int{}, 0
	}
	if t.told >= maxToldOfOrigins || t.origins[origin] >= maxToldOfOrigin {
		t.untold++
		return 0, false
	}
	t.told++
	t.origins[origin]++
	untold, t.untold = t.untold, 0
	return untold, true
}
