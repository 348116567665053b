package live

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// FuzzStream sends a viewer's messages, in and out of control, with rubbish
// between them. Each line is a message, binary where it begins with a NUL; "!" is
// the wish for control, and "~" breaks the connection's frames. Nothing may crash,
// hang or be left.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		"!\n" + `{"type":"mouse","action":"down","x":0.5,"y":0.5}` + "\n" + `{"type":"hand_back"}` + "\n" + `{"type":"mouse","action":"up","x":1,"y":0}`,
		"!\n" + `{"type":"key","action":"down","key":"a"}` + "\n" + `{"type":"text","text":"hello"}` + "\n!\n" + `{"type":"wheel","x":0,"y":0,"deltaY":1}`,
		`{"type":"take_control"}` + "\n" + `{"type":"auth","ticket":"x"}` + "\n" + `{"type":"take_control","ticket":` + "\nnull\n[]\n\n\xff\xfe\n\x00binary",
		"!\n" + `{"type":"dialog","accept":true}` + "\n" + `{"type":"show_tab","id":1e99}` + "\n" + `{"type":"open","url":7}` + "\n~",
		"!\n" + `{"type":"file","name":"a","data":"aGk="}` + "\n" + `{"type":"file","data":"?"}` + "\n" + `{"type":"choose"}` + "\n" + `{"type":"choose","cancel":true}`,
		"!\n" + `{"type":"pick","id":1,"index":0}` + "\n" + `{"type":"pick","id":1,"value":"2024-01-01"}` + "\n" + `{"type":"copy"}` + "\n~\n",
		`{"type":"answer","id":1,"done":true}` + "\n!\n" + `{"type":"answer","id":1}` + "\n" + `{"type":"answer","id":2,"ticket":"x"}`,
		strings.Repeat("[", 3000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &fakeControls{}
		s := newStand(t, func(o *Options) {
			o.Grace, o.MaxHold = time.Millisecond, time.Second
			c.fakeScreen = o.Screen.(*fakeScreen)
			o.Controls = c
		})
		s.onScreen()
		asked := make(chan struct{})
		go func() { // an agent that asks, which the viewer may answer
			defer close(asked)
			_, _ = s.Desk().Ask(context.Background(), "Sign in", time.Hour, time.Hour)
		}()
		p := s.dial()
		p.say("auth", "ticket", s.ticket("1", "Ada", proto.TicketView), "features", []string{"ask", "binary", "clipboard", "modals", "pickers", "tabs"})
		heard := make(chan struct{})
		go func() {
			defer close(heard)
			for {
				if _, _, err := p.ReadMessage(); err != nil {
					return
				}
			}
		}()
		lines := bytes.Split(data, []byte("\n"))
		for _, line := range lines[:min(len(lines), 100)] {
			var err error
			switch {
			case string(line) == "!":
				err = p.WriteJSON(map[string]string{"type": "take_control", "ticket": s.ticket("1", "Ada", proto.TicketControl)})
			case string(line) == "~":
				_, err = p.NetConn().Write([]byte{0xff, 0x00, 0x81, 0xff, 0xff})
			case len(line) > 0 && line[0] == 0:
				err = p.WriteMessage(websocket.BinaryMessage, line[1:])
			default:
				err = p.WriteMessage(websocket.TextMessage, line)
			}
			if err != nil {
				break
			}
		}
		p.Close()
		apptest.Await(t, "the viewer to be gone", func() bool { return !s.screen.isWatched() })
		<-heard
		s.Hub.Close()
		<-asked
		if _, held := s.Lease().Holder(); held {
			t.Error("somebody drives a browser that is closed")
		}
	})
}
