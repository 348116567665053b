package live

import (
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

func TestBesideThePageIsForThoseWhoAsk(t *testing.T) {
	s, c := newDeck(t)
	plain, all := s.watch("2", "Grace"), s.watchWith("pickers", "downloads", "clipboard")
	plain.hear()
	if !s.wantsPickers() {
		t.Error("nobody wants pickers")
	}
	list := &PickerState{ID: 3, Kind: "select", Label: "Fruit", Selected: 1, Options: []page.PickerOption{{Label: "Apple"}, {Label: "Pear", Group: "Rare", Disabled: true}}}
	const shown = `{"type":"picker","picker":{"id":3,"kind":"select","label":"Fruit","options":[{"label":"Apple"},{"label":"Pear","group":"Rare","disabled":true}],"selected":1,"value":"","min":"","max":"","step":""}}`
	s.showPicker(list)
	all.hears(shown)
	late := s.watchWith("pickers")
	late.hears(shown)
	s.downloaded([]DownloadState{{ID: "g", Name: "a<b>.txt", State: "completed", Size: 5}})
	all.hears(`{"type":"download","download":{"id":"g","name":"a\u003cb\u003e.txt","state":"completed","size":5,"why":""}}`)

	s.watchWith("downloads").hears(`{"type":"download","download":{"id":"g","name":"a\u003cb\u003e.txt","state":"completed","size":5,"why":""}}`)

	// Answers are gated like input.
	answers := func(p *peer) {
		p.say("pick", "id", 3, "index", 1)
		p.say("pick", "id", 3, "value", "2024-02-29")
		p.say("pick", "id", 3, "value", strings.Repeat("9", maxPicked+1))
		p.say("pick", "id", 3, "cancel", true)
		p.say("pick", "id", 3)
		p.say("pick", "index", 1)
		p.say("copy")
		p.say("fetch", "id", "g", "at", 2)
		p.say("fetch", "id", "g")
		p.say("fetch", "id", "g", "at", -1)
		p.say("fetch", "id", "g", "at", 0.5)
		p.say("fetch", "id", strings.Repeat("g", maxDownloadID+1), "at", 0)
		p.say("take_control")
		for {
			if text := p.hear(); strings.Contains(text, viewOnly) {
				return
			}
		}
	}
	answers(all)
	s.drive(plain, "2", "Grace")
	plain.hears(strings.Replace(mineAda, "Ada", "Grace", 1))
	answers(plain)
	if got := s.screen.all(); got != "" {
		t.Errorf("done without control, or for one who did not ask: %q", got)
	}
	plain.say("hand_back")
	plain.hears(free)
	s.drive(all, "1", "Ada")
	answers(all)
	for _, want := range []string{`pick 3 {"Index":1,"Value":null}`, `pick 3 {"Index":null,"Value":"2024-02-29"}`, `pick 3 {"Index":null,"Value":null}`, "copy", "fetch g 2"} {
		apptest.Await(t, want, func() bool { return strings.Contains(c.all(), want) })
	}
	if n := strings.Count(c.all(), "pick"); n != 3 {
		t.Errorf("picked %d times: %s", n, c.all())
	}
	if n := strings.Count(c.all(), "fetch"); n != 1 {
		t.Errorf("fetched %d times: %s", n, c.all())
	}
	all.say("fetch", "id", "g", "at", 0)
	for text := ""; text != `{"type":"part","id":"g","name":"a.txt","size":5,"at":0,"data":"aGVsbG8="}`; {
		if text = all.hear(); strings.HasPrefix(text, `{"type":"part"`) && !strings.Contains(text, `"at":2,"data":"bGxv"`) && !strings.Contains(text, `"at":0`) {
			t.Errorf("heard %s", text)
		}
	}
	s.showPicker(nil)
	for {
		if text := late.hear(); strings.Contains(text, `"picker"`) {
			if text != `{"type":"picker","picker":null}` {
				t.Errorf("heard %s", text)
			}
			break
		}
	}
	plain.hears(othersAda) // and nothing else before
}
