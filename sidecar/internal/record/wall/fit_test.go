package wall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
)

// depth is how deep a JSON text nests.
func depth(text []byte) (deepest int) {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	now := 0
	for {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			now++
			deepest = max(deepest, now)
		case json.Delim('}'), json.Delim(']'):
			now--
		}
	}
}

func limited(limit int) *wall.Document {
	return newDocument(func(o *wall.Options) { o.Limit = limit })
}

func paragraph(id int, text string) string {
	return fmt.Sprintf(`{"type":2,"tagName":"p","attributes":{},"id":%d,"childNodes":[{"type":3,"textContent":"%s","id":%d}]}`, id, text, id+1)
}

func TestSnapshotsAreMadeToFit(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	words := `{"type":3,"textContent":"` + strings.Repeat("Orders ", 100) + `","id":9}`
	sheet := func(id int, css string) string {
		return fmt.Sprintf(`{"type":2,"tagName":"style","attributes":{"_cssText":"%s"},"id":%d,"childNodes":[]}`, css, id)
	}
	const limit = 10_000
	for name, c := range map[string]struct {
		nodes       string
		stay, leave []string
		events      int
	}{
		"what fits": {words, []string{"Orders"}, nil, 1},
		"pictures": {words + `,{"type":2,"tagName":"img","attributes":{"src":"data:image/png;base64,` + long + `","alt":"Logo"},"id":20}` +
			`,{"type":2,"tagName":"p","attributes":{"style":"background: url(data:image/png;base64,` + long + `) red"},"id":21}`,
			[]string{"Orders", `{"alt":"Logo"}`, "background: url(data:,) red"}, []string{"xxxx"}, 1},
		"fonts": {words + `,` + sheet(20, "@font-face { src: url('data:font/woff2;base64,"+long+"') } p { color: red }"),
			[]string{"Orders", "src: url('data:,') } p { color: red }"}, []string{"xxxx"}, 1},
		"a long sheet follows":           {words + `,` + sheet(20, strings.Repeat("p { color: red } ", 550)) + `,` + sheet(22, "b { top: 0 }"), []string{"Orders", "b { top: 0 }", `"attributes":[{"id":20,"attributes":{"_cssText":"p { color: red }`}, nil, 2},
		"two sheets, the longer goes":    {sheet(20, strings.Repeat("p{} ", 1500)) + `,` + sheet(21, strings.Repeat("b{} ", 1300)), []string{`"attributes":{"_cssText":"b{} `, `"attributes":[{"id":20,`}, nil, 2},
		"a sheet that is long by itself": {words + `,` + sheet(20, strings.Repeat("p { color: red } ", 2000)), []string{"Orders"}, []string{"color"}, 1},
		"long texts":                     {paragraph(20, long) + `,` + words, []string{"Orders", strings.Repeat("x", 1024)}, []string{strings.Repeat("x", 1025)}, 1},
		"many nodes":                     {paragraph(20, "first") + strings.Repeat(`,`+paragraph(30, "again and again"), 500), []string{"first", "again and again"}, nil, 1},
	} {
		d := limited(limit)
		res := d.Event(snapshot(c.nodes), now())
		if res.Verdict != wall.Taken || len(res.Events) != c.events {
			t.Errorf("%s: verdict %d, %d events", name, res.Verdict, len(res.Events))
			continue
		}
		var all string
		for _, e := range res.Events {
			if len(e) > limit || !json.Valid(e) || !strings.HasSuffix(string(e), `,"tab":1}}`) {
				t.Errorf("%s: an event of %d bytes: %.200s", name, len(e), e)
			}
			all += string(e)
		}
		for _, s := range c.stay {
			if !strings.Contains(all, s) {
				t.Errorf("%s: %q is gone from %.2000s", name, s, all)
			}
		}
		for _, s := range c.leave {
			if strings.Contains(all, s) {
				t.Errorf("%s: %.20q… is left", name, s)
			}
		}
	}
	// Beyond all help.
	if res := limited(100).Event(snapshot(``), now()); res.Verdict != wall.TooLarge || !res.Snapshot {
		t.Errorf("a limit of 100 bytes: %+v", res)
	}
	d := limited(1000)
	take(t, d, snapshot(``))
	if res := d.Event(mutation(``, `{"parentId":2,"nextId":null,"node":`+paragraph(20, long)+`}`, ``, ``), now()); res.Verdict != wall.TooLarge || res.Snapshot {
		t.Errorf("a change that is too large: %+v", res)
	}
}

func TestDeepDocumentsArePruned(t *testing.T) {
	const stored = 509 // of an event, when a batch may nest 512
	open, shut := "", ""
	for i := range 600 {
		open += fmt.Sprintf(`{"type":2,"tagName":"div","attributes":{"title":"level %d"},"id":%d,"childNodes":[`, i, i+10)
		shut += `]}`
	}
	for name, d := range map[string]*wall.Document{
		"page": newDocument(), "frame": newDocument(func(o *wall.Options) { o.Child = true }),
	} {
		d.Place(5)
		got := take(t, d, snapshot(open+shut))
		if n := depth([]byte(got)); n > stored || n < stored-4 {
			t.Errorf("%s: depth %d", name, n)
		}
		if !strings.Contains(got, "level 245") || strings.Contains(got, "level 260") {
			t.Errorf("%s: cut at the wrong place", name)
		}
	}
	d := newDocument()
	take(t, d, snapshot(``))
	deep := strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat(`}`, 600)
	if res := d.Event(event(3, `{"source":3,"id":2,"x":0,"y":0,"z":`+deep+`}`), now()); res.Verdict != wall.TooLarge {
		t.Errorf("a deep change: %+v", res)
	}
	if res := newDocument().Event(snapshot(`{"type":2,"tagName":"p","attributes":{"a":`+deep+`},"id":5}`), now()); res.Verdict != wall.TooLarge {
		t.Errorf("a deep attribute: %+v", res)
	}
}

func TestBigDocuments(t *testing.T) {
	var nodes strings.Builder
	for i := range 120_000 {
		if i > 0 {
			nodes.WriteByte(',')
		}
		fmt.Fprintf(&nodes, `{"type":3,"textContent":"Orders","id":%d}`, i+10)
	}
	d := newDocument(func(o *wall.Options) { o.Limit = 32 << 20 })
	got := take(t, d, snapshot(nodes.String()))
	// What is too much to be known is masked.
	if n := strings.Count(got, "Orders"); n < 99_000 || n > 100_000 {
		t.Errorf("%d texts are told", n)
	}
	if got := take(t, d, mutation(``, ``, `{"id":129999,"value":"Orders"}`, ``)); strings.Contains(got, "Orders") {
		t.Error("a text of a node that is not known is told")
	}
}

// FuzzEvent: whatever a page sends, what leaves is a store's event within its
// bounds, and the typed canary is not in it.
func FuzzEvent(f *testing.F) {
	f.Add(snapshot(input(`"value":"x"`)), "text", "x")
	f.Add(mutation(`{"parentId":2,"id":5}`, `{"parentId":2,"nextId":null,"node":{"type":3,"textContent":"y","id":9}}`, `{"id":9,"value":"z"}`, `{"id":5,"attributes":{"value":"q","type":"submit"}}`), "submit", "autocomplete")
	f.Add(event(3, `{"source":5,"id":5,"text":"abc","isChecked":true}`), "radio", "TYPE")
	f.Add(event(3, `{"source":15,"id":5,"styleIds":[1],"styles":[{"styleId":1,"rules":[]}]}`), "", "contenteditable")
	f.Add(event(4, `{"href":"http://a.test/?x","width":1,"height":1}`), "password", "value ")
	// A field becomes what is none.
	f.Add(snapshot(`{"type":2,"tagName":"li","attributes":{},"id":5,"childNodes":[]}`), "text", "lang")
	const canary = "c4n4ry"
	f.Fuzz(func(t *testing.T, raw, kind, key string) {
		d := newDocument(func(o *wall.Options) { o.Limit = 4096 })
		take(t, d, snapshot(input(`"type":"text"`)))
		res := d.Event(raw, now())
		if (res.Verdict == wall.Taken) != (len(res.Events) > 0) {
			t.Fatalf("%q: %+v", raw, res)
		}
		for _, e := range res.Events {
			if !json.Valid(e) || len(e) > 4096 || depth(e) > 509 || !strings.HasPrefix(string(e), `{"kind":"rrweb","timestamp":`) {
				t.Fatalf("%q became %s", raw, e)
			}
		}
		if strings.Contains(raw+kind+key, canary) {
			return
		}
		k, _ := json.Marshal(kind)
		a, _ := json.Marshal(key)
		for _, attributes := range []string{
			fmt.Sprintf(`%s:%s,"value":"%s"`, a, k, canary), fmt.Sprintf(`"type":%s,%s:"on","value":"%s"`, k, a, canary),
		} {
			// Whatever else is said of it: node 5 is a field that took typing.
			for _, raw := range []string{
				mutation(``, ``, ``, fmt.Sprintf(`{"id":5,"attributes":{%s}}`, attributes)),
				mutation(``, fmt.Sprintf(`{"parentId":2,"nextId":null,"node":%s}`, input(attributes)), ``, ``),
				event(3, `{"source":5,"id":5,"text":"`+canary+`","isChecked":false}`),
			} {
				for _, e := range d.Event(raw, now()).Events {
					if strings.Contains(string(e), canary) {
						t.Fatalf("%s after %q: %s", raw, raw, e)
					}
				}
			}
		}
	})
}
