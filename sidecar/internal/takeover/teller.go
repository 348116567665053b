package takeover

import "sync"

// teller keeps what listeners are to be told, in the order in which it happened.
// Its fields belong to the lock that tell is given.
type teller struct {
	notes   []func()
	telling bool
}

// tell delivers what is noted. One goroutine at a time does, whichever came
// first, so that the order holds; a listener that causes more only adds to it.
func (t *teller) tell(mu *sync.Mutex) {
	mu.Lock()
	if t.telling {
		mu.Unlock()
		return
	}
	t.telling = true
	for len(t.notes) > 0 {
		note := t.notes[0]
		t.notes = t.notes[1:]
		mu.Unlock()
		note()
		mu.Lock()
	}
	t.telling = false
	mu.Unlock()
}
