package browser

import (
	"fmt"
	"strings"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// keptMessages and droppedMessages bound a tab's console: when it is full, the
// oldest few leave together.
const (
	keptMessages    = 200
	droppedMessages = 20
	// maxMessage cuts one message; pages log whole data sets.
	maxMessage = 10000
)

// Level orders console messages by severity, the worst first.
type Level int

// The levels that a list can be limited to; each includes the worse ones.
const (
	LevelError Level = iota
	LevelWarning
	LevelInfo
	LevelDebug
)

// Message is one console message or uncaught error of a tab.
type Message struct {
	N         int    // 1 and up over the tab's life
	Type      string // log, info, warning, error, debug, assert, … or "pageerror"
	Level     Level
	Text      string // an uncaught error: its stack
	URL       string // where it came from
	Line      int    // 0-based, as the protocol counts
	Time      time.Time
	PageError bool
}

type consoleLog struct {
	next     int // number of the newest message
	start    int // messages up to this number belong to earlier documents
	messages []Message
}

func (t *Tab) listenConsole(s *cdp.Session) {
	cdp.On(s, runtime.ConsoleAPICalled, func(ev runtime.EventConsoleAPICalled) {
		if t.b.opts.Private != nil && t.b.opts.Private(ev.Args) {
			return
		}
		args := make([]string, 0, len(ev.Args))
		for _, a := range ev.Args {
			args = append(args, remoteText(a))
		}
		m := Message{Type: string(ev.Type), Text: strings.Join(args, " ")}
		m.URL, m.Line = topFrame(ev.StackTrace)
		m.Level = consoleLevel(m.Type)
		t.logMessage(m)
	})
	cdp.On(s, runtime.ExceptionThrown, func(ev runtime.EventExceptionThrown) {
		if d := ev.ExceptionDetails; d != nil {
			m := Message{Type: "pageerror", Level: LevelError, PageError: true, Text: exceptionText(d), URL: d.URL, Line: int(d.LineNumber)}
			t.logMessage(m)
		}
	})
	cdp.On(s, cdplog.EntryAdded, func(ev cdplog.EventEntryAdded) {
		e := ev.Entry
		if e == nil || e.Source == cdplog.EntrySourceWorker {
			return
		}
		typ := string(e.Level)
		if typ == "verbose" {
			typ = "debug"
		}
		t.logMessage(Message{Type: typ, Level: consoleLevel(typ), Text: e.Text, URL: e.URL, Line: int(e.LineNumber)})
	})
}

func (t *Tab) logMessage(m Message) {
	if len(m.Text) > maxMessage {
		m.Text = strings.ToValidUTF8(m.Text[:maxMessage], "") + "…"
	}
	m.Time = time.Now()
	t.b.mu.Lock()
	t.console.next++
	m.N = t.console.next
	t.console.messages = append(t.console.messages, m)
	if len(t.console.messages) > keptMessages {
		t.console.messages = append([]Message(nil), t.console.messages[droppedMessages:]...)
	}
	t.b.mu.Unlock()
	if m.Level <= LevelWarning {
		level := "warning"
		if m.Level == LevelError {
			level = "error"
		}
		t.b.events.Publish(event.Event{Kind: event.Console, Tab: t.id, Detail: map[string]string{"level": level, "text": m.Text}})
	}
}

// Messages are the tab's console messages, oldest first: those of the document
// it shows, or with all those of its whole life.
func (t *Tab) Messages(all bool) []Message {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	var out []Message
	for _, m := range t.console.messages {
		if all || m.N > t.console.start {
			out = append(out, m)
		}
	}
	return out
}

func consoleLevel(typ string) Level {
	switch typ {
	case "error", "assert", "pageerror":
		return LevelError
	case "warning":
		return LevelWarning
	case "debug", "trace", "clear", "startGroup", "startGroupCollapsed", "endGroup":
		return LevelDebug
	default:
		return LevelInfo
	}
}

func topFrame(st *runtime.StackTrace) (string, int) {
	if st == nil || len(st.CallFrames) == 0 {
		return "", 0
	}
	return st.CallFrames[0].URL, int(st.CallFrames[0].LineNumber)
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if o := d.Exception; o != nil {
		if o.Description != "" {
			return o.Description
		}
		return "Uncaught " + remoteText(o)
	}
	return d.Text
}

// remoteText writes a logged value as a console would on one line.
func remoteText(o *runtime.RemoteObject) string {
	switch {
	case o == nil:
		return ""
	case o.Type == runtime.RemoteObjectTypeString:
		return jsonString(o.Value)
	case o.Type == runtime.RemoteObjectTypeUndefined:
		return "undefined"
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case len(o.Value) > 0:
		return string(o.Value)
	case o.Subtype == runtime.RemoteObjectSubtypeNode:
		return "<" + o.Description + ">" // the preview would tell of old colours and of links
	case o.Preview != nil && o.Subtype != runtime.RemoteObjectSubtypeError:
		return previewText(o.Preview)
	case o.Subtype == runtime.RemoteObjectSubtypeNull:
		return "null"
	default:
		return o.Description
	}
}

func previewText(p *runtime.ObjectPreview) string {
	var parts []string
	array := p.Subtype == runtime.ObjectPreviewSubtypeArray
	for _, prop := range p.Properties {
		v := prop.Value
		switch {
		case prop.Subtype == runtime.PropertyPreviewSubtypeNode:
			v = "<" + v + ">"
		case prop.ValuePreview != nil:
			v = previewText(prop.ValuePreview)
		}
		if !array {
			v = prop.Name + ": " + v
		}
		parts = append(parts, v)
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	if array {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if len(parts) == 0 && p.Description != "" && p.Description != "Object" {
		return p.Description
	}
	return fmt.Sprintf("{%s}", strings.Join(parts, ", "))
}
