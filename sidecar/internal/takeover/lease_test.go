package takeover

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// log is what listeners were told, in order.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

func person(id string) Person {
	if id == "" {
		return Person{}
	}
	return Person{ID: &id, Name: new(strings.ToUpper(id[:1]) + id[1:])}
}

// wait and grace are the times of most tests.
const (
	waitTime  = 20 * time.Second
	graceTime = 10 * time.Second
)

func newLease(change ...func(*Options)) (*Lease, *log) {
	told := &log{}
	o := Options{
		AgentWait: waitTime, Grace: graceTime,
		OnChange: func(c Change) {
			told.add("%s %s by %d held %v", c.Reason, c.Holder.Person.Called("nobody"), c.Holder.Key, c.Held)
		},
		OnWaiting: func(w Waiting) { told.add("waiting %d %s", w.Calls, w.Tool) },
	}
	for _, c := range change {
		c(&o)
	}
	return New(o), told
}

// TestTransitions goes through every event in every state. The connections 1 and
// 2 are Ada's, 3 is Grace's, 4 and 5 are of people without an id.
func TestTransitions(t *testing.T) {
	type states struct {
		name  string
		begin func(*Lease)
	}
	free := states{"free", func(*Lease) {}}
	ada := states{"ada on 1", func(l *Lease) { l.Acquire(1, person("ada")) }}
	gone := states{"ada on 1, gone", func(l *Lease) { l.Acquire(1, person("ada")); l.Drop(1) }}
	nobody := states{"somebody on 4", func(l *Lease) { l.Acquire(4, person("")) }}
	closed := states{"closed", func(l *Lease) { l.Close() }}

	acquire := func(key Key, who string) func(*Lease) string {
		return func(l *Lease) string {
			r := l.Acquire(key, person(who))
			switch {
			case r == nil:
				return "ok"
			case r.By == nil:
				return "stopping"
			default:
				return "held by " + r.By.Person.Called("somebody")
			}
		}
	}
	release := func(key Key) func(*Lease) string {
		return func(l *Lease) string { return fmt.Sprint(l.Release(key)) }
	}
	drop := func(key Key) func(*Lease) string {
		return func(l *Lease) string { l.Drop(key); return "" }
	}
	pass := func(d time.Duration) func(*Lease) string {
		return func(*Lease) string { time.Sleep(d); synctest.Wait(); return "" }
	}
	revoke := func(id string) func(*Lease) string {
		return func(l *Lease) string { return fmt.Sprint(l.Revoke(id)) }
	}
	shut := func(l *Lease) string { l.Close(); return "" }
	first := pass(graceTime - time.Second)
	rest := pass(2 * time.Second)

	for _, c := range []struct {
		from   states
		does   string
		steps  []func(*Lease) string
		says   string // what the steps answer
		told   string // changes since
		holder Key
	}{
		{free, "acquires", []func(*Lease) string{acquire(1, "ada")}, "ok", "taken Ada by 1 held true", 1},
		{free, "releases", []func(*Lease) string{release(1)}, "false", "", 0},
		{free, "drops", []func(*Lease) string{drop(1), first, rest}, "", "", 0},
		{free, "revokes", []func(*Lease) string{revoke("ada")}, "false", "", 0},
		{free, "closes", []func(*Lease) string{shut, shut, acquire(1, "ada")}, "stopping", "", 0},

		{ada, "acquires again", []func(*Lease) string{acquire(1, "ada")}, "ok", "", 1},
		{ada, "another acquires", []func(*Lease) string{acquire(3, "grace")}, "held by Ada", "", 1},
		{ada, "somebody acquires", []func(*Lease) string{acquire(4, "")}, "held by Ada", "", 1},
		{ada, "moves", []func(*Lease) string{acquire(2, "ada")}, "ok", "moved Ada by 2 held true", 2},
		{ada, "the old connection goes after a move", []func(*Lease) string{acquire(2, "ada"), drop(1), first, rest, release(1)}, "ok false", "moved Ada by 2 held true", 2},
		{ada, "releases", []func(*Lease) string{release(1), release(1)}, "true false", "handed_back Ada by 1 held false", 0},
		{ada, "another releases", []func(*Lease) string{release(3)}, "false", "", 1},
		{ada, "another goes", []func(*Lease) string{drop(3), first, rest}, "", "", 1},
		{ada, "goes", []func(*Lease) string{drop(1), first}, "", "", 1},
		{ada, "goes for good", []func(*Lease) string{drop(1), first, rest}, "", "disconnected Ada by 1 held false", 0},
		{ada, "is revoked", []func(*Lease) string{revoke("ada")}, "true", "revoked Ada by 1 held false", 0},
		{ada, "another is revoked", []func(*Lease) string{revoke("grace")}, "false", "", 1},
		{ada, "closes", []func(*Lease) string{shut, acquire(1, "ada")}, "stopping", "closed Ada by 1 held false", 0},
		{ada, "hands over", []func(*Lease) string{release(1), acquire(3, "grace")}, "true ok", "handed_back Ada by 1 held false, taken Grace by 3 held true", 3},

		{gone, "another acquires", []func(*Lease) string{acquire(3, "grace")}, "held by Ada", "", 1},
		{gone, "is back in time", []func(*Lease) string{first, acquire(2, "ada"), rest, first}, "ok", "moved Ada by 2 held true", 2},
		{gone, "goes again", []func(*Lease) string{first, drop(1), rest}, "", "", 1},
		{gone, "is back, and goes", []func(*Lease) string{first, acquire(2, "ada"), drop(2), rest, first}, "ok", "moved Ada by 2 held true, disconnected Ada by 2 held false", 0},
		{gone, "is released late", []func(*Lease) string{release(1), acquire(3, "grace"), first, rest}, "true ok", "handed_back Ada by 1 held false, taken Grace by 3 held true", 3},
		{gone, "closes", []func(*Lease) string{shut, first, rest}, "", "closed Ada by 1 held false", 0},

		{nobody, "another without an id acquires", []func(*Lease) string{acquire(5, "")}, "held by somebody", "", 4},
		{nobody, "acquires again", []func(*Lease) string{acquire(4, "")}, "ok", "", 4},
		{nobody, "Ada acquires", []func(*Lease) string{acquire(1, "ada")}, "held by somebody", "", 4},

		{closed, "acquires", []func(*Lease) string{acquire(1, "ada"), release(1), revoke("ada")}, "stopping false false", "", 0},
	} {
		t.Run(c.from.name+" "+c.does, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, told := newLease()
				c.from.begin(l)
				since, _ := l.Holder()
				before := len(told.all())
				time.Sleep(time.Millisecond)
				var says []string
				for _, step := range c.steps {
					if s := step(l); s != "" {
						says = append(says, s)
					}
				}
				if got := strings.Join(says, " "); got != c.says {
					t.Errorf("said %q, want %q", got, c.says)
				}
				if got := strings.Join(told.all()[before:], ", "); got != c.told {
					t.Errorf("told %q, want %q", got, c.told)
				}
				h, held := l.Holder()
				if h.Key != c.holder || held != (c.holder != 0) || held != l.Holds(c.holder) {
					t.Errorf("holder %d, want %d", h.Key, c.holder)
				}
				if held && strings.HasPrefix(c.told, "moved") && !h.Since.Equal(since.Since) {
					t.Errorf("since %v, want %v as before the move", h.Since, since.Since)
				}
			})
		})
	}
}

func TestControlEndsByTheClock(t *testing.T) {
	for _, c := range []struct {
		name      string
		max, idle time.Duration
		do        func(l *Lease)
		want      string
	}{
		{"held too long", time.Minute, 0, func(l *Lease) {
			for range 59 {
				time.Sleep(time.Second)
				l.Touch(1)
			}
			time.Sleep(time.Second)
		}, "max_hold Ada by 1 held false"},
		{"moving does not begin anew", time.Minute, 0, func(l *Lease) {
			time.Sleep(50 * time.Second)
			l.Acquire(2, person("ada"))
			time.Sleep(10 * time.Second)
		}, "moved Ada by 2 held true, max_hold Ada by 2 held false"},
		{"idle", 0, 30 * time.Second, func(l *Lease) { time.Sleep(30 * time.Second) }, "idle Ada by 1 held false"},
		{"idle after work", 0, 30 * time.Second, func(l *Lease) {
			time.Sleep(20 * time.Second)
			l.Touch(1)
			time.Sleep(29 * time.Second)
			l.Touch(3) // not the one who drives
			time.Sleep(time.Second)
		}, "idle Ada by 1 held false"},
		{"at work", 0, 30 * time.Second, func(l *Lease) {
			for range 10 {
				time.Sleep(29 * time.Second)
				l.Touch(1)
			}
		}, ""},
		{"a timer of an earlier term", time.Minute, 30 * time.Second, func(l *Lease) {
			time.Sleep(20 * time.Second)
			l.Release(1)
			time.Sleep(9 * time.Second)
			l.Acquire(3, person("grace"))
			time.Sleep(29 * time.Second)
			l.Touch(3)
			time.Sleep(5 * time.Second)
		}, "handed_back Ada by 1 held false, taken Grace by 3 held true"},
		{"never", 0, 0, func(l *Lease) { time.Sleep(1000 * time.Hour) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, told := newLease(func(o *Options) { o.MaxHold, o.IdleRelease = c.max, c.idle })
				l.Acquire(1, person("ada"))
				c.do(l)
				synctest.Wait()
				if got := strings.Join(told.all()[1:], ", "); got != c.want {
					t.Errorf("told %q, want %q", got, c.want)
				}
			})
		})
	}
}

// TestListenersMayAct lets a listener take control in the notice of its end, many
// times over: each change is told once and in order.
func TestListenersMayAct(t *testing.T) {
	var l *Lease
	var told []string
	l = New(Options{OnChange: func(c Change) {
		told = append(told, string(c.Reason))
		if !c.Held && len(told) < 9 {
			l.Acquire(c.Holder.Key+1, person("grace"))
			l.Release(c.Holder.Key + 1)
		}
	}})
	l.Acquire(1, person("ada"))
	l.Release(1)
	want := strings.TrimSuffix(strings.Repeat("taken handed_back ", 5), " ")
	if got := strings.Join(told, " "); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}
