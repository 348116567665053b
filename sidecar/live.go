package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/live"
	"github.com/pillion-browser/pillion/sidecar/internal/record"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// liveView is the people's side of a session.
type liveView struct {
	hub   *live.Hub
	stage *live.Stage
}

// startLive makes the live view, where the launch asks for one.
func (s *session) startLive() {
	o := s.launch.Live
	if o == nil {
		return
	}
	stage := live.NewStage(s.browser, live.StageOptions{Resolve: s.resolve, Upload: s.receiveFiles, Saved: s.savedFile})
	screen, controls := live.Screen(stage), live.Controls(stage)
	if s.recorder != nil {
		screen, controls = s.recorder.Overhear(stage), answers{stage, s.recorder}
	}
	hub := live.New(live.Options{
		Screen: screen, Controls: controls, Verify: proto.NewTicketVerifier(s.launch.Token, o.SessionID, time.Now).Verify,
		AgentWait: o.AgentWait(), Grace: o.ReleaseGrace(),
		MaxHold: time.Duration(o.MaxHoldMS) * time.Millisecond, IdleRelease: time.Duration(o.IdleReleaseMS) * time.Millisecond,
		MaxViewers: o.MaxViewers, OnTakeover: s.takenOver, OnWaiting: s.agentsWait, OnAsk: s.personAsked, Log: s.log,
	})
	stage.Raise(hub)
	s.live.Store(&liveView{hub, stage})
}

// answers has the recorder know what a person answers to a dialog.
type answers struct {
	live.Controls
	recorder *record.Recorder
}

// Answer implements [live.Controls].
func (a answers) Answer(ctx context.Context, accept bool, text string) error {
	a.recorder.Typed(text)
	return a.Controls.Answer(ctx, accept, text)
}

// desk is where agents may ask people; nil where they may not.
func (s *session) desk() *takeover.Desk {
	if v := s.live.Load(); v != nil && s.launch.Live.AskPerson {
		return v.hub.Desk()
	}
	return nil
}

// receiveFiles puts a person's files into the session's uploads, and copies of them
// where Chromium can read them.
func (s *session) receiveFiles(given []live.File) (paths []string, err error) {
	var names []string
	for i, f := range given {
		// A directory each, so that neither another one of the same name nor what
		// the agent put there is overwritten.
		name := filepath.Join("by-hand-"+strconv.FormatInt(time.Now().UnixMilli(), 36), strconv.Itoa(i+1), fileName(f.Name))
		if _, err := s.files.Write(name, f.Data); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return s.files.Stage(names)
}

// savedFile opens what a page has downloaded, for a person to save.
func (s *session) savedFile(d browser.Download) (file *os.File, name string, err error) {
	file, err = s.files.Artifact(d.File)
	return file, files.Sanitized(d.Name), err
}

// maxFileName is in characters, which take up to four bytes each.
const maxFileName = 60

// fileName makes a plain name of what another machine calls a file.
func fileName(raw string) string {
	name := []rune(strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, raw))
	if n := len(name); n > maxFileName {
		name = name[n-maxFileName:] // the end says what kind of file it is
	}
	if len(name) == 0 || name[0] == '.' {
		name = append([]rune{'_'}, name...)
	}
	return string(name)
}

// takenOver tells everybody else who drives.
func (s *session) takenOver(c takeover.Change) {
	detail := map[string]string{"why": string(c.Reason), "held": strconv.FormatBool(c.Held)}
	told := map[string]any{"why": string(c.Reason), "held": c.Held, "by": nil, "user": nil}
	if name := c.Holder.Person.Name; name != nil {
		detail["by"], told["by"] = *name, *name
	}
	if id := c.Holder.Person.ID; id != nil {
		detail["user"], told["user"] = *id, *id
	}
	s.events.Publish(event.Event{Kind: event.Takeover, Time: c.At, Detail: detail})
	s.out.event(proto.EventTakeover, "", told)
}

// agentsWait tells the supervisor that agents wait for whoever drives.
func (s *session) agentsWait(w takeover.Waiting) {
	told := map[string]any{"calls": w.Calls, "tool": nil, "since": nil}
	if w.Calls > 0 {
		told["tool"], told["since"] = w.Tool, w.Since.UnixMilli()
	}
	s.out.event(proto.EventWaiting, "", told)
}

// personAsked tells the supervisor what an agent asks of people.
func (s *session) personAsked(a takeover.Answer) {
	told := map[string]any{
		"id": a.ID, "instructions": a.Instructions, "until": a.Until.UnixMilli(), "ended": string(a.Ending), "by": nil, "user": nil,
	}
	if a.By != nil {
		if a.By.Name != nil {
			told["by"] = *a.By.Name
		}
		if a.By.ID != nil {
			told["user"] = *a.By.ID
		}
	}
	s.out.event(proto.EventAsk, "", told)
}

// revoke takes the live view from a person and gives the number of viewers that
// were closed; an error where the session has none.
func (s *session) revoke(user string) (viewers int, err error) {
	if s.launch.Live == nil {
		return 0, &proto.Error{
			Code: proto.CodeLiveOff, Message: "this browser has no live view", Hint: "Start it with a live section in its config",
		}
	}
	if v := s.live.Load(); v != nil {
		return v.hub.Revoke(user), nil
	}
	return 0, nil // nobody can have come yet
}

// closeLive begins to close the live view: calls that wait for a person have
// their answer when it returns. done is closed when every viewer is gone.
func (s *session) closeLive() (done <-chan struct{}) {
	over := make(chan struct{})
	v := s.live.Load()
	if v == nil {
		close(over)
		return over
	}
	v.hub.Halt()
	go func() {
		defer close(over)
		v.hub.Close()
		v.stage.Close()
	}()
	return over
}

// liveURL is where viewers connect; "" without a live view.
func (s *session) liveURL(port int) string {
	if s.launch.Live == nil {
		return ""
	}
	return "ws://" + reachable(s.launch.Host, port) + "/live"
}
