package browser

import (
	"strconv"
	"testing"
	"time"
)

func TestTellingIsBounded(t *testing.T) {
	var told telling
	now := time.Unix(1_800_000_000, 0)
	count := func(origin string, n int) (c int) {
		for range n {
			if _, ok := told.next(origin, now); ok {
				c++
			}
		}
		return c
	}
	if n := count("http://a.test", 1000); n != maxToldOfOrigin {
		t.Errorf("%d of one origin are told", n)
	}
	sum := maxToldOfOrigin
	for i := range 1000 {
		sum += count("http://"+strconv.Itoa(i)+".test", 1)
	}
	if sum != maxToldOfOrigins {
		t.Errorf("%d of many origins are told", sum)
	}
	now = now.Add(tellingWindow)
	untold, tell := told.next("http://a.test", now)
	if want := 1000 - (maxToldOfOrigins - maxToldOfOrigin); !tell || untold != want {
		t.Errorf("in the next window: told %v, %d were not before, want %d", tell, untold, want)
	}
	if untold, tell := told.next("http://a.test", now); !tell || untold != 0 {
		t.Errorf("after it: told %v, %d", tell, untold)
	}
	if len(told.origins) != 1 {
		t.Errorf("%d origins are remembered", len(told.origins))
	}
}
