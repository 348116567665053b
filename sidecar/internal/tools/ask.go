package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

const (
	askTool = "browser_ask_person"
	// personGroup holds the tools that need a person.
	personGroup = "person"

	// maxInstructions is as much as a person reads, in bytes.
	maxInstructions = 4000
	// minAsk and maxAsk bound the time that a person gets.
	minAsk = time.Second
	maxAsk = time.Hour
	// answerMargin is what a call keeps of its own time to say that nobody has
	// answered yet, and to read the page.
	answerMargin = 5 * time.Second
)

// lastAsk is where the page was when the agent asked; a request can outlast the call
// that made it.
type lastAsk struct {
	id  uint64
	url string
}

func askPerson(ctx context.Context, c *call) error {
	var args struct {
		Instructions string
		Timeout      *float64
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	text := strings.TrimSpace(args.Instructions)
	switch {
	case text == "":
		return toolError("Error: instructions must say what the person is to do")
	case len(text) > maxInstructions:
		return toolError(fmt.Sprintf("Error: instructions must not be longer than %d bytes", maxInstructions))
	}
	timeout := 300 * time.Second
	if args.Timeout != nil {
		timeout = time.Duration(min(max(*args.Timeout, minAsk.Seconds()), maxAsk.Seconds()) * float64(time.Second))
	}
	patience := timeout + answerMargin // the request's own end comes first
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, max(time.Until(deadline)-answerMargin, 0))
	}
	before := c.where()
	a, err := c.kit.opts.Desk.Ask(ctx, text, timeout, patience)
	if err != nil {
		return err
	}
	before = c.askedAt(a.ID, before)
	c.say(askResult(a), "- Ended: "+ending(a.Ending))
	if a.By != nil {
		c.say("- By: " + oneLine(a.By.Called("a person without a name")))
	}
	c.sayf("- Took: %.1f s", a.Took.Seconds())
	if a.Ending == takeover.StillOpen {
		return nil
	}
	if c.tab != nil && !isClosed(c.tab) {
		// A dialog or a crash is told with the page.
		if err := c.actor().Answered(ctx, "person", c.tab.TakeIn); err != nil && ctx.Err() != nil {
			return err
		}
	}
	c.say("- Page before: "+before, "- Page after: "+c.where())
	c.show = true
	if !c.asked {
		c.mode = proto.SnapshotChanges
	}
	return nil
}

// where is the address of the agent's tab.
func (c *call) where() string {
	switch {
	case c.tab == nil:
		return "none, no tab is open"
	case isClosed(c.tab):
		return "none, the tab was closed"
	}
	return oneLine(c.tab.URL())
}

// askedAt is where the page was when the request began that was answered: here, or
// at an earlier call.
func (s *Set) askedAt(id uint64, now string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastAsk.id != id {
		s.lastAsk = lastAsk{id, now}
	}
	return s.lastAsk.url
}

func ending(e takeover.Ending) string {
	if e == takeover.StillOpen {
		return "not yet"
	}
	return string(e)
}

// askResult says in a sentence what came of a request.
func askResult(a takeover.Answer) string {
	who := takeover.Person{}
	if a.By != nil {
		who = *a.By
	}
	name, limit := oneLine(who.Called("A person")), a.Until.Sub(a.Since).Seconds()
	switch a.Ending {
	case takeover.Done:
		return name + " handed the browser back."
	case takeover.Declined:
		return name + " declined."
	case takeover.TimedOut:
		return fmt.Sprintf("Nobody answered within %.0f s, although somebody was watching.", limit)
	case takeover.Unseen:
		return fmt.Sprintf("Nobody was watching within %.0f s, so nobody saw the request.", limit)
	case takeover.Withdrawn:
		return "The request was replaced by another one."
	}
	return fmt.Sprintf("Nobody has answered yet; people can for %.0f s more. Call %s with the same instructions to go on waiting.", limit-a.Took.Seconds(), askTool)
}
