package wall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
)

// noon is the time of every test; events of the page are of it.
const noon = 1_800_000_000_000

func now() time.Time { return time.UnixMilli(noon) }

func newDocument(change ...func(*wall.Options)) *wall.Document {
	o := wall.Options{Tab: 1, IDs: &wall.IDs{}, Secrets: wall.NewSecrets(nil), Limit: 1 << 20}
	for _, c := range change {
		c(&o)
	}
	return wall.New(o)
}

func event(typ int, data string) string {
	return fmt.Sprintf(`{"type":%d,"data":%s,"timestamp":%d}`, typ, data, noon)
}

func snapshot(nodes string) string {
	return event(2, `{"node":{"type":0,"id":1,"childNodes":[{"type":2,"tagName":"html","attributes":{},"id":2,"childNodes":[`+nodes+`]}]},"initialOffset":{"left":0,"top":0}}`)
}

func mutation(removes, adds, texts, attributes string) string {
	return event(3, fmt.Sprintf(`{"source":0,"removes":[%s],"adds":[%s],"texts":[%s],"attributes":[%s]}`, removes, adds, texts, attributes))
}

// take gives an event to a document that must take it, and returns what is sent.
func take(t *testing.T, d *wall.Document, raw string) string {
	t.Helper()
	res := d.Event(raw, now())
	if res.Verdict != wall.Taken {
		t.Fatalf("%.200s: verdict %d", raw, res.Verdict)
	}
	var all strings.Builder
	for _, e := range res.Events {
		if !json.Valid(e) {
			t.Fatalf("no JSON: %s", e)
		}
		all.Write(e)
	}
	return all.String()
}

func TestEnvelope(t *testing.T) {
	d := newDocument(func(o *wall.Options) { o.Tab = 7 })
	got := take(t, d, `{"type":4,"data":{"href":"http://u:p@a.test/x?y=1#z","width":1280,"height":800},"timestamp":1800000000000.5,"tab":"mine"}`)
	want := `{"kind":"rrweb","timestamp":1800000000000.5,"data":{"type":4,"data":{"href":"http://a.test/x","width":1280,"height":800},"timestamp":1800000000000.5,"tab":7}}`
	if got != want {
		t.Errorf("got %s", got)
	}
	res := d.Event(snapshot(``), now())
	if !res.Snapshot || !res.Restart || len(res.Events) != 1 {
		t.Errorf("%+v", res)
	}
	if res := d.Event(event(3, `{"source":3,"id":2,"x":0,"y":9}`), now()); res.Snapshot || res.Restart {
		t.Errorf("%+v", res)
	}
}

func TestInvalidEvents(t *testing.T) {
	at := func(ms int64) string { return fmt.Sprintf(`{"type":3,"data":{"source":4},"timestamp":%d}`, ms) }
	for name, raw := range map[string]string{
		"nothing":              ``,
		"null":                 `null`,
		"a list":               `[]`,
		"broken":               `{"type":3,`,
		"no type":              `{"data":{},"timestamp":1800000000000}`,
		"type a fraction":      `{"type":3.5,"data":{"source":4},"timestamp":1800000000000}`,
		"type a text":          `{"type":"3","data":{"source":4},"timestamp":1800000000000}`,
		"type custom":          event(5, `{"tag":"x","payload":{}}`),
		"type plugin":          event(6, `{"plugin":"x","payload":{}}`),
		"type negative":        event(-1, `{}`),
		"no timestamp":         `{"type":3,"data":{"source":4}}`,
		"timestamp a text":     `{"type":3,"data":{"source":4},"timestamp":"1800000000000"}`,
		"timestamp infinite":   `{"type":3,"data":{"source":4},"timestamp":1e999}`,
		"of yesterday":         at(noon - 86_400_000),
		"of tomorrow":          at(noon + 86_400_000),
		"of a minute ahead":    at(noon + 60_000),
		"of 1970":              at(0),
		"no data":              `{"type":3,"timestamp":1800000000000}`,
		"data a list":          event(3, `[]`),
		"no source":            event(3, `{}`),
		"canvas":               event(3, `{"source":9,"id":1,"commands":[]}`),
		"log":                  event(3, `{"source":11}`),
		"source 17":            event(3, `{"source":17}`),
		"mutation of nothing":  event(3, `{"source":0}`),
		"mutation of texts":    event(3, `{"source":0,"adds":["x"],"removes":[],"texts":[],"attributes":[]}`),
		"adds no node":         mutation(``, `{"parentId":1,"nextId":null}`, ``, ``),
		"adds a text":          mutation(``, `{"parentId":1,"nextId":null,"node":"x"}`, ``, ``),
		"adds a node of type":  mutation(``, `{"parentId":1,"nextId":null,"node":{"type":9,"id":5}}`, ``, ``),
		"adds without an id":   mutation(``, `{"parentId":1,"nextId":null,"node":{"type":3,"textContent":"x"}}`, ``, ``),
		"adds children a text": mutation(``, `{"parentId":1,"nextId":null,"node":{"type":2,"tagName":"p","id":5,"childNodes":"x"}}`, ``, ``),
		"adds attributes list": mutation(``, `{"parentId":1,"nextId":null,"node":{"type":2,"tagName":"p","id":5,"attributes":[]}}`, ``, ``),
		"adds a tag of 1":      mutation(``, `{"parentId":1,"nextId":null,"node":{"type":2,"tagName":1,"id":5,"attributes":{}}}`, ``, ``),
		"an id of 2^60":        mutation(`{"parentId":1,"id":1152921504606846976}`, ``, ``, ``),
		"an id of 1.5":         mutation(`{"parentId":1,"id":1.5}`, ``, ``, ``),
		"an id of -3":          event(3, `{"source":2,"type":2,"id":-3,"x":1,"y":1}`),
		"text of no node":      mutation(``, ``, `{"value":"x"}`, ``),
		"attributes of none":   mutation(``, ``, ``, `{"id":2,"attributes":"x"}`),
		"input a number":       event(3, `{"source":5,"id":2,"text":42,"isChecked":false}`),
		"input of no node":     event(3, `{"source":5,"text":"x","isChecked":false}`),
		"moves nowhere":        event(3, `{"source":1}`),
		"moves nobody":         event(3, `{"source":1,"positions":[1]}`),
		"sheets of none":       event(3, `{"source":15,"id":1}`),
		"no node":              event(2, `{"initialOffset":{}}`),
		"node a list":          event(2, `{"node":[]}`),
		"meta without href":    event(4, `{"width":1,"height":1}`),
		"meta of no size":      event(4, `{"href":"http://a.test/","width":-1,"height":1}`),
		"deeper than any":      event(2, `{"node":`+strings.Repeat(`{"type":2,"tagName":"p","id":3,"childNodes":[`, 1500)+strings.Repeat(`]}`, 1500)+`}`),
	} {
		d := newDocument()
		take(t, d, snapshot(``))
		if res := d.Event(raw, now()); res.Verdict != wall.Invalid || len(res.Events) != 0 {
			t.Errorf("%s: %+v", name, res)
		}
		// It costs nothing but itself.
		take(t, d, mutation(``, `{"parentId":2,"nextId":null,"node":{"type":3,"textContent":"fine","id":9}}`, ``, ``))
	}
}

func TestEventsAreTakenWithinTheirTime(t *testing.T) {
	d := newDocument()
	take(t, d, snapshot(``))
	for _, ms := range []int64{noon - 9*60_000, noon - 1, noon, noon + 4000} {
		take(t, d, fmt.Sprintf(`{"type":3,"data":{"source":4,"width":1,"height":1},"timestamp":%d}`, ms))
	}
}

func TestUselessEvents(t *testing.T) {
	d := newDocument()
	if res := d.Event(event(3, `{"source":3,"id":2,"x":0,"y":9}`), now()); res.Verdict != wall.Useless {
		t.Errorf("a change before the snapshot: %+v", res)
	}
	take(t, d, event(0, `{}`))
	take(t, d, event(1, `{}`))
	// A frame that has nothing in it yet, and the same when it has.
	take(t, d, snapshot(`{"type":2,"tagName":"iframe","attributes":{},"id":5,"childNodes":[]}`))
	frame := func(children string) string {
		return event(3, `{"source":0,"removes":[],"texts":[],"attributes":[],"adds":[{"parentId":5,"nextId":null,"node":{"type":0,"id":6,"childNodes":[`+children+`]}}],"isAttachIframe":true}`)
	}
	if res := d.Event(frame(``), now()); res.Verdict != wall.Useless {
		t.Errorf("an empty frame: %+v", res)
	}
	take(t, d, frame(`{"type":2,"tagName":"html","attributes":{},"id":7,"childNodes":[],"rootId":6}`))
}

func TestIDsAreTheDocumentsOwn(t *testing.T) {
	ids := &wall.IDs{}
	first := newDocument(func(o *wall.Options) { o.IDs = ids })
	second := newDocument(func(o *wall.Options) { o.IDs, o.Tab = ids, 2 })
	if got := take(t, first, snapshot(``)); !strings.Contains(got, `"id":1,`) || !strings.Contains(got, `"id":2,`) {
		t.Errorf("the first document: %s", got)
	}
	if got := take(t, second, snapshot(``)); !strings.Contains(got, `"id":65537,`) || !strings.Contains(got, `"id":65538,`) {
		t.Errorf("the second document: %s", got)
	}
	for raw, want := range map[string]string{
		event(3, `{"source":1,"positions":[{"x":1,"y":2,"id":5,"timeOffset":0},{"id":-1}]}`):                              `[{"x":1,"y":2,"id":65541,"timeOffset":0},{"id":-1}]`,
		event(3, `{"source":2,"type":2,"id":5,"x":1,"y":1}`):                                                              `"id":65541`,
		event(3, `{"source":8,"id":5,"styleId":null,"adds":[{"rule":"a{}","index":0}]}`):                                  `"id":65541,"styleId":null`,
		event(3, `{"source":13,"styleId":3,"set":{},"index":[0]}`):                                                        `"styleId":65539`,
		event(3, `{"source":14,"ranges":[{"start":5,"startOffset":0,"end":6,"endOffset":1}]}`):                            `"start":65541,"startOffset":0,"end":65542`,
		event(3, `{"source":15,"id":5,"styleIds":[1,2],"styles":[{"styleId":1,"rules":[]}]}`):                             `"id":65541,"styleIds":[65537,65538],"styles":[{"styleId":65537`,
		mutation(`{"parentId":2,"id":9}`, `{"parentId":2,"nextId":9,"node":{"type":3,"textContent":"","id":10}}`, ``, ``): `"removes":[{"parentId":65538,"id":65545}],"adds":[{"parentId":65538,"nextId":65545,"node":{"type":3,"textContent":"","id":65546`,
		event(3, `{"source":3,"id":70000,"x":0,"y":0}`):                                                                   `"id":135536`, // of the next block
	} {
		if got := take(t, second, raw); !strings.Contains(got, want) {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
	if got := take(t, first, event(3, `{"source":3,"id":70000,"x":0,"y":0}`)); !strings.Contains(got, fmt.Sprintf(`"id":%d`, 3<<16|70000&0xffff)) {
		t.Errorf("another block: %s", got)
	}
	if _, ok := first.Global(0); ok {
		t.Error("0 is an id")
	}
	if id, ok := second.Global(5); id != 65541 || !ok {
		t.Error(id, ok)
	}
}

func TestIDsCantBeUsedUp(t *testing.T) {
	d := newDocument()
	take(t, d, snapshot(``))
	refused := 0
	for i := range 5000 {
		if res := d.Event(event(3, fmt.Sprintf(`{"source":3,"id":%d,"x":0,"y":0}`, (i+1)<<20)), now()); res.Verdict == wall.Invalid {
			refused++
		}
	}
	if refused < 900 || refused > 910 {
		t.Errorf("%d are refused", refused)
	}
}

func TestFrameOfAnotherSite(t *testing.T) {
	ids := &wall.IDs{}
	parent := newDocument(func(o *wall.Options) { o.IDs = ids })
	take(t, parent, snapshot(`{"type":2,"tagName":"iframe","attributes":{},"id":5,"childNodes":[]}`))
	place, _ := parent.Global(5)
	child := newDocument(func(o *wall.Options) { o.IDs, o.Child = ids, true })

	if res := child.Event(snapshot(`{"type":3,"textContent":"x","id":3}`), now()); res.Verdict != wall.Homeless || !res.Snapshot {
		t.Errorf("without a place: %+v", res)
	}
	child.Place(place)
	if res := child.Event(event(3, `{"source":3,"id":2,"x":0,"y":9}`), now()); res.Verdict != wall.Useless {
		t.Errorf("a change before the snapshot is placed: %+v", res)
	}
	for _, raw := range []string{event(0, `{}`), event(4, `{"href":"http://b.test/","width":1,"height":1}`), event(3, `{"source":4,"width":1,"height":1}`)} {
		if res := child.Event(raw, now()); res.Verdict != wall.Useless {
			t.Errorf("%s: %+v", raw, res)
		}
	}
	got := take(t, child, snapshot(`{"type":3,"textContent":"x","id":3}`))
	want := `{"type":3,"data":{"source":0,"adds":[{"parentId":5,"nextId":null,"node":{"type":0,"id":65537,"childNodes":[` +
		`{"type":2,"tagName":"html","attributes":{},"id":65538,"childNodes":[{"type":3,"textContent":"x","id":65539,"rootId":65537}],"rootId":65537}]}}],` +
		`"removes":[],"texts":[],"attributes":[],"isAttachIframe":true},"timestamp":1800000000000,"tab":1}`
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := take(t, child, mutation(``, `{"parentId":2,"nextId":null,"node":{"type":3,"textContent":"y","id":9}}`, ``, ``)); !strings.Contains(got, `"rootId":65537`) {
		t.Errorf("what is added later: %s", got)
	}
}

func TestPublicURL(t *testing.T) {
	for url, want := range map[string]string{
		"about:blank": "about:blank", "about:srcdoc": "", "http://a.test": "http://a.test", "HTTPS://a.test/x?y#z": "https://a.test/x",
		"http://a.test?x": "http://a.test", "http://a.test#x/y": "http://a.test", "http://u:p@a.test/p@q": "http://a.test/p@q",
		"data:text/html,x": "", "blob:http://a.test/1": "", "javascript:1": "", "": "", "chrome-error://chromewebdata/": "", "file:///etc/passwd": "",
	} {
		if got := wall.PublicURL(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}
