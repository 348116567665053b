package supervisor

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// commandBacklog is how many commands wait for a sidecar that doesn't read.
	commandBacklog = 16

	// commandTimeout is for the answer to a command. A sidecar answers from
	// memory, so only a stuck one or a starved machine takes longer.
	commandTimeout = 5 * time.Second
)

// commands is the conversation with a running sidecar: commands go out one
// after the other, and the event that answers each is matched to it by its ID.
// A sidecar that doesn't read its input keeps the writer waiting, never a
// caller for longer than its context.
type commands struct {
	input io.WriteCloser
	queue chan []byte
	mute  string // why none gets through; "" where they do

	mu      sync.Mutex
	pending map[string]chan proto.Event // by ID; each takes one value
}

func newCommands(process Process) *commands {
	c := &commands{
		input:   process.Stdin(),
		queue:   make(chan []byte, commandBacklog),
		pending: make(map[string]chan proto.Event),
	}
	if m, ok := process.(Mute); ok {
		c.mute = m.Mute()
	}
	return c
}

// run writes what is queued until over is closed. Closing the input unblocks
// its writes; an error means that the sidecar is ending.
func (c *commands) run(over <-chan struct{}) {
	for {
		select {
		case line := <-c.queue:
			c.input.Write(line)
		case <-over:
			return
		}
	}
}

// call sends a command and returns the event that answers it.
func (c *commands) call(ctx context.Context, command proto.Command, ended <-chan struct{}) (proto.Event, error) {
	if c.mute != "" {
		return proto.Event{}, &proto.Error{
			Code: proto.CodeUnsupported, Message: "the command " + command.Type + " can't reach this browser: " + c.mute,
			Hint: "Stop the browser and start another one, with what it is to have from its start on",
		}
	}
	command.ID = rand.Text()
	line, err := command.Encode()
	if err != nil {
		return proto.Event{}, err
	}
	answer := c.expect(command.ID)
	defer c.forget(command.ID)
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	select {
	case <-ended:
		return proto.Event{}, errStopped()
	case <-ctx.Done():
		return proto.Event{}, hung(ctx, command.Type)
	case c.queue <- append(line, '\n'):
	}
	select {
	case <-ended:
		return proto.Event{}, errStopped()
	case <-ctx.Done():
		return proto.Event{}, hung(ctx, command.Type)
	case event := <-answer:
		if event.Type == proto.EventRejected {
			return event, rejection(event)
		}
		return event, nil
	}
}

func (c *commands) expect(id string) <-chan proto.Event {
	answer := make(chan proto.Event, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[id] = answer
	return answer
}

func (c *commands) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// answered takes an event that answers a command of ours, and reports whether
// it is one.
func (c *commands) answered(event proto.Event) bool {
	id, _ := event.Detail["id"].(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := c.pending[id]
	if ok {
		delete(c.pending, id)
		answer <- event
	}
	return ok
}

// post sends a line if there is room, and waits neither for that nor for an
// answer.
func (c *commands) post(line []byte) {
	select {
	case c.queue <- append(line, '\n'):
	default:
	}
}

// grease sends a command of a type that no sidecar knows, never twice the
// same, so that sidecars keep refusing such commands politely. The refusal is
// taken as an answer that nobody waits for.
func (c *commands) grease() {
	if c.mute != "" {
		return
	}
	id := "grease-" + rand.Text()[:8]
	c.expect(id)
	c.post(fmt.Appendf(nil, `{"type":%q,"id":%q,"%s":null}`, id, id, rand.Text()[:4]))
}

func rejection(event proto.Event) error {
	text := func(key string) string { s, _ := event.Detail[key].(string); return s }
	return &proto.Error{
		Code:    proto.Code(orText(text("code"), string(proto.CodeInternal))),
		Message: "the sidecar rejected the command: " + text("message"),
		Hint:    text("hint"),
	}
}

func hung(ctx context.Context, command string) error {
	return &proto.Error{
		Code:    proto.CodeSidecarHung,
		Message: fmt.Sprintf("the sidecar did not take or answer the command %s: %v", command, ctx.Err()),
		Hint:    "Stop the browser if that lasts",
		Err:     ctx.Err(),
	}
}
