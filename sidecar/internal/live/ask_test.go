package live

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// asks is what an agent got and the host was told.
type asks struct {
	*stand
	mu   sync.Mutex
	told []takeover.Ending
}

func newAsks(t *testing.T) *asks {
	a := &asks{}
	a.stand = newStand(t, func(o *Options) {
		o.OnAsk = func(answer takeover.Answer) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.told = append(a.told, answer.Ending)
		}
	})
	return a
}

func (a *asks) ask(text string) <-chan takeover.Answer {
	done := make(chan takeover.Answer, 1)
	go func() {
		answer, err := a.Desk().Ask(context.Background(), text, time.Hour, time.Hour)
		if err != nil {
			a.t.Error(err)
		}
		done <- answer
	}()
	return done
}

func (a *asks) invited(id, name string) *peer {
	p := a.dial()
	p.say("auth", "ticket", a.ticket(id, name, proto.TicketView), "features", []string{"ask"})
	p.hear() // ready
	p.hears(`{"type":"features","features":["ask"]}`)
	return p
}

// hearsAsk reads the request that is open.
func (p *peer) hearsAsk(id, text string) {
	p.t.Helper()
	got := regexp.MustCompile(`\d{13}`).ReplaceAllString(p.hear(), "NOW")
	if want := `{"type":"ask","ask":{"id":` + id + `,"instructions":"` + text + `","since":NOW,"until":NOW}}`; got != want {
		p.t.Errorf("heard %s\nwant  %s", got, want)
	}
}

const askedNothing = `{"type":"ask","ask":null}`

func TestWhoCanAnswerAnAgent(t *testing.T) {
	s := newAsks(t)
	ada, old := s.invited("1", "Ada"), s.watch("3", "Linus")
	old.hear()
	first := s.ask("Sign in")
	ada.hearsAsk("1", "Sign in")
	grace := s.invited("2", "Grace") // who comes later sees it, too
	grace.hearsAsk("1", "Sign in")

	// Without control, or the right to it, nobody answers.
	ada.say("answer", "id", 1, "done", true)
	if code, _ := ada.refused(); code != viewOnly {
		t.Errorf("answered with %q", code)
	}
	grace.say("answer", "id", 1, "ticket", s.ticket("2", "Grace", proto.TicketView))
	if code, _ := grace.refused(); code != viewOnly {
		t.Errorf("answered with %q", code)
	}
	// Who drives hands it back by answering.
	s.drive(ada, "1", "Ada")
	ada.hears(mineAda)
	grace.hears(othersAda)
	old.hears(othersAda)
	grace.say("answer", "id", 1, "ticket", s.ticket("2", "Grace", proto.TicketControl))
	if code, message := grace.refused(); code != "held" || message != "Ada is driving the browser" {
		t.Errorf("answered with %q %q", code, message)
	}
	ada.say("answer", "id", 1, "done", true)
	for _, p := range []*peer{ada, grace} {
		p.hears(askedNothing)
		p.hears(free)
	}
	old.hears(free) // and nothing before
	if a := <-first; a.Ending != takeover.Done || *a.By.ID != "1" {
		t.Errorf("answer %+v", a)
	}

	// So does who hands back in the original's way.
	second := s.ask("Again")
	grace.hearsAsk("2", "Again")
	s.drive(grace, "2", "Grace")
	grace.hear()
	grace.say("hand_back")
	grace.hears(askedNothing)
	if a := <-second; a.Ending != takeover.Done || *a.By.ID != "2" {
		t.Errorf("answer %+v", a)
	}
	grace.hears(free)

	// With a control ticket no driving is needed; an answer to another request is
	// none.
	third := s.ask("Approve it on your phone")
	grace.hearsAsk("3", "Approve it on your phone")
	grace.say("answer", "id", 2, "ticket", s.ticket("2", "Grace", proto.TicketControl), "done", true)
	grace.say("answer", "id", 3, "ticket", s.ticket("2", "Grace", proto.TicketControl))
	grace.hears(askedNothing)
	if a := <-third; a.Ending != takeover.Declined || *a.By.Name != "Grace" {
		t.Errorf("answer %+v", a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.told) != 6 || s.told[5] != takeover.Declined {
		t.Errorf("the host was told %q", s.told)
	}
}
