package takeover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// answered runs Ask and gives what came of it.
func answered(d *Desk, ctx context.Context, text string, timeout, patience time.Duration) <-chan string {
	out := make(chan string, 1)
	go func() {
		a, err := d.Ask(ctx, text, timeout, patience)
		switch {
		case errors.Is(err, proto.CodeStopping):
			out <- "stopping"
		case errors.Is(err, proto.CodeHeld):
			out <- "another"
		case err != nil:
			out <- err.Error()
		case a.By != nil:
			out <- fmt.Sprintf("%s by %s after %v", a.Ending, a.By.Called("nobody"), a.Took)
		default:
			out <- fmt.Sprintf("%s after %v", a.Ending, a.Took)
		}
	}()
	return out
}

func TestAskPeople(t *testing.T) {
	errGone := errors.New("the caller is gone")
	for _, c := range []struct {
		name string
		do   func(d *Desk, ask func(text string) <-chan string, cancel func()) []<-chan string
		want string // what the calls got
		told string // after what is asked first
	}{
		{"handed back", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			time.Sleep(3 * time.Second)
			d.Answer(0, Done, person("ada"))
			return []<-chan string{first}
		}, "handed_back by Ada after 3s", "handed_back"},
		{"declined by its id; another id does nothing", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			synctest.Wait()
			d.Answer(7, Done, person("grace"))
			d.Answer(1, Declined, person("ada"))
			d.Answer(1, Done, person("grace"))
			return []<-chan string{first}
		}, "declined by Ada after 0s", "declined"},
		{"nobody sees it", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			return []<-chan string{ask("sign in")}
		}, " after 50s", ""},
		{"still open, and asked again until its end", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			time.Sleep(time.Minute)
			return []<-chan string{first, ask("sign in")}
		}, " after 50s, nobody_watching after 1m40s", "nobody_watching"},
		{"seen, and not answered", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			synctest.Wait()
			d.Shown()
			time.Sleep(time.Minute)
			return []<-chan string{first, ask("sign in")}
		}, " after 50s, timed_out after 1m40s", "timed_out"},
		{"answered between two calls", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			time.Sleep(time.Minute)
			d.Answer(0, Done, person("ada"))
			time.Sleep(time.Minute)
			return []<-chan string{first, ask("sign in")}
		}, " after 50s, handed_back by Ada after 1m0s", "handed_back"},
		{"an old answer is for nobody", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			time.Sleep(time.Minute)
			d.Answer(0, Done, person("ada"))
			time.Sleep(keptAnswer)
			return []<-chan string{first, ask("sign in")}
		}, " after 50s,  after 50s", "handed_back, open sign in"},
		{"something else while it is waited for", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			synctest.Wait()
			second := ask("decide")
			synctest.Wait()
			d.Answer(0, Done, person("ada"))
			return []<-chan string{first, second}
		}, "handed_back by Ada after 0s, another", "handed_back"},
		{"something else when nobody waits any more", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			time.Sleep(time.Minute)
			return []<-chan string{first, ask("decide")}
		}, " after 50s,  after 50s", "withdrawn, open decide"},
		{"two agents ask the same", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first, second := ask("sign in"), ask("sign in")
			synctest.Wait()
			d.Answer(0, Done, person("ada"))
			return []<-chan string{first, second}
		}, "handed_back by Ada after 0s, handed_back by Ada after 0s", "handed_back"},
		{"the caller goes", func(d *Desk, ask func(string) <-chan string, cancel func()) []<-chan string {
			first := ask("sign in")
			synctest.Wait()
			cancel()
			return []<-chan string{first}
		}, "the caller is gone", "withdrawn"},
		{"the browser stops", func(d *Desk, ask func(string) <-chan string, _ func()) []<-chan string {
			first := ask("sign in")
			synctest.Wait()
			d.Close()
			d.Close()
			synctest.Wait()
			return []<-chan string{first, ask("sign in")}
		}, "stopping, stopping", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := &log{}
				d := NewDesk(Clock{}, func(a Answer) {
					if a.Ending == StillOpen {
						told.add("open %s", a.Instructions)
					} else {
						told.add("%s", a.Ending)
					}
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				ask := func(text string) <-chan string { return answered(d, ctx, text, 100*time.Second, 50*time.Second) }
				var got []string
				for _, call := range c.do(d, ask, func() { cancel(errGone) }) {
					got = append(got, <-call)
				}
				if all := strings.Join(got, ", "); all != c.want {
					t.Errorf("the calls got %q, want %q", all, c.want)
				}
				synctest.Wait()
				want := []string{"open sign in"}
				if c.told != "" {
					want = append(want, strings.Split(c.told, ", ")...)
				}
				if all := told.all(); !slices.Equal(all, want) {
					t.Errorf("told %q, want %q", all, want)
				}
				if r, open := d.Open(); open != (want[len(want)-1][:4] == "open") || open && r.Until.Sub(r.Since) != 100*time.Second {
					t.Errorf("open %v: %+v", open, r)
				}
				d.Close()
			})
		})
	}
}
