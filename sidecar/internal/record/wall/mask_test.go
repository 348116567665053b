package wall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
)

// secret is what must never leave; every test below hides it somewhere else.
const secret = "hunter2-hunter2"

func input(attributes string) string {
	return fmt.Sprintf(`{"type":2,"tagName":"input","attributes":{%s},"id":5,"childNodes":[]}`, attributes)
}

func TestSnapshotsAreMasked(t *testing.T) {
	const stars = `***************`
	for name, c := range map[string]struct{ nodes, want string }{
		"text":           {input(`"type":"text","value":"` + secret + `"`), `"value":"` + stars + `"`},
		"no type":        {input(`"value":"` + secret + `"`), `"value":"` + stars + `"`},
		"upper case":     {`{"type":2,"tagName":"INPUT","attributes":{"VALUE":"` + secret + `"},"id":5}`, `"VALUE":"` + stars + `"`},
		"hidden":         {input(`"type":"hidden","value":"` + secret + `"`), `"value":"` + stars + `"`},
		"checkbox":       {input(`"type":"checkbox","value":"` + secret + `","checked":true`), `"value":"` + stars + `","checked":true`},
		"radio":          {input(`"type":"radio","value":"` + secret + `"`), `"value":"` + stars + `"`},
		"file":           {input(`"type":"file","value":"` + secret + `"`), `"value":"` + stars + `"`},
		"a number":       {input(`"type":"number","value":1234567`), `"value":"*******"`},
		"password":       {input(`"type":"Password","value":"` + secret + `"`), `"value":"********"`},
		"once password":  {input(`"type":"submit","data-rr-is-password":"true","value":"` + secret + `"`), `"value":"********"`},
		"new password":   {input(`"type":"text","autocomplete":"section-a New-Password","value":"` + secret + `"`), `"value":"********"`},
		"one-time code":  {input(`"autocomplete":"one-time-code","value":"` + secret + `"`), `"value":"********"`},
		"card":           {input(`"autocomplete":"billing cc-number","value":"` + secret + `"`), `"value":"********"`},
		"text area":      {`{"type":2,"tagName":"textarea","attributes":{"value":"` + secret + `"},"id":5,"childNodes":[{"type":3,"textContent":"a ` + secret + `","id":6}]}`, `"textContent":"* ` + stars + `"`},
		"select":         {`{"type":2,"tagName":"select","attributes":{"value":"` + secret + `"},"id":5}`, `"value":"` + stars + `"`},
		"option":         {`{"type":2,"tagName":"option","attributes":{"value":"` + secret + `","selected":true},"id":5,"childNodes":[{"type":3,"textContent":"Norway","id":6}]}`, `{"value":"` + stars + `"},"id":5,"childNodes":[{"type":3,"textContent":"Norway"`},
		"component":      {`{"type":2,"tagName":"ion-input","attributes":{"value":"` + secret + `"},"id":5}`, `"value":"` + stars + `"`},
		"editor":         {`{"type":2,"tagName":"div","attributes":{"contenteditable":""},"id":5,"childNodes":[{"type":2,"tagName":"p","attributes":{},"id":6,"childNodes":[{"type":3,"textContent":"x ` + secret + `","id":7}]}]}`, `"textContent":"* ` + stars + `"`},
		"editor, island": {`{"type":2,"tagName":"div","attributes":{"contenteditable":"true"},"id":5,"childNodes":[{"type":2,"tagName":"p","attributes":{"contenteditable":"false"},"id":6,"childNodes":[{"type":3,"textContent":"` + secret + `","id":7}]}]}`, stars},
		"drawn editor":   {`{"type":2,"tagName":"div","attributes":{"role":"none TextBox"},"id":5,"childNodes":[{"type":2,"tagName":"span","attributes":{},"id":6,"childNodes":[{"type":3,"textContent":"` + secret + `","id":7}]}]}`, stars},
		"comment":        {`{"type":5,"textContent":"` + secret + `","id":5}`, `"textContent":""`},
		"cdata":          {`{"type":4,"textContent":"` + secret + `","id":5}`, `"textContent":""`},
		"srcdoc":         {`{"type":2,"tagName":"iframe","attributes":{"srcdoc":"` + secret + `","title":"x"},"id":5}`, `{"title":"x"}`},
		"handler":        {`{"type":2,"tagName":"p","attributes":{"onclick":"` + secret + `","title":"x"},"id":5}`, `{"title":"x"}`},
		"link":           {`{"type":2,"tagName":"a","attributes":{"href":"http://a.test/x?q=` + secret + `#` + secret + `"},"id":5}`, `"href":"http://a.test/x"`},
		"form":           {`{"type":2,"tagName":"form","attributes":{"action":"http://a.test/x?q=` + secret + `"},"id":5}`, `"action":"http://a.test/x"`},
		"frame":          {`{"type":2,"tagName":"iframe","attributes":{"rr_src":"http://a.test/x?q=` + secret + `"},"id":5}`, `"rr_src":"http://a.test/x"`},
		"boxed frame":    {`{"type":2,"tagName":"iframe","attributes":{"sandbox":"allow-scripts"},"id":5}`, `{"sandbox":"allow-same-origin"}`},
		"script link":    {`{"type":2,"tagName":"a","attributes":{"href":"\tJavaScript:alert('` + secret + `')"},"id":5}`, `"href":"about:blank"`},
		"textless text":  {`{"type":3,"textContent":{"a":"` + secret + `"},"id":5}`, `"textContent":""`},
	} {
		got := take(t, newDocument(), snapshot(c.nodes))
		if strings.Contains(got, secret) {
			t.Errorf("%s leaves: %s", name, got)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestWhatPagesSayStays(t *testing.T) {
	for _, nodes := range []string{
		input(`"type":"submit","value":"Sign in"`),
		input(`"type":"BUTTON","value":"Press"`),
		input(`"type":"reset","value":"Clear"`),
		input(`"type":"text","placeholder":"Name","aria-label":"User name","name":"user","class":"a b","checked":false`),
		`{"type":2,"tagName":"li","attributes":{"value":"3"},"id":5}`,
		`{"type":2,"tagName":"progress","attributes":{"value":"0.5"},"id":5}`,
		`{"type":2,"tagName":"img","attributes":{"src":"http://a.test/i.png?v=2","alt":"Logo"},"id":5}`,
		`{"type":2,"tagName":"link","attributes":{"rel":"stylesheet","href":"http://a.test/s.css?v=2"},"id":5}`,
		`{"type":2,"tagName":"style","attributes":{"_cssText":"p { color: red }"},"id":5,"childNodes":[{"type":3,"textContent":"p { color: red }","id":6}]}`,
		`{"type":2,"tagName":"p","attributes":{"contenteditable":"false","style":"color:red"},"id":5,"childNodes":[{"type":3,"textContent":"Orders","id":6}]}`,
		`{"type":2,"tagName":"canvas","attributes":{"rr_dataURL":"data:image/png;base64,AAAA"},"id":5}`,
		`{"type":2,"tagName":"video","attributes":{"rr_mediaCurrentTime":1.5},"id":5}`,
		`{"type":2,"tagName":"p","attributes":{},"id":5,"isShadowHost":true,"isCustom":true}`,
	} {
		if got := take(t, newDocument(), snapshot(nodes)); !strings.Contains(got, nodes) {
			t.Errorf("%s became %s", nodes, got)
		}
	}
}

// steps are events of one document; the last must not contain the secret.
func TestChangesAreMasked(t *testing.T) {
	add := func(parent int, node string) string {
		return mutation(``, fmt.Sprintf(`{"parentId":%d,"nextId":null,"node":%s}`, parent, node), ``, ``)
	}
	attribute := func(id int, attributes string) string {
		return mutation(``, ``, ``, fmt.Sprintf(`{"id":%d,"attributes":{%s}}`, id, attributes))
	}
	text := func(id int, value string) string {
		return mutation(``, ``, fmt.Sprintf(`{"id":%d,"value":"%s"}`, id, value), ``)
	}
	editor := `{"type":2,"tagName":"div","attributes":{"contenteditable":"plaintext-only"},"id":5,"childNodes":[{"type":2,"tagName":"p","attributes":{},"id":6,"childNodes":[{"type":3,"textContent":"","id":7}]}]}`
	plain := `{"type":2,"tagName":"div","attributes":{},"id":5,"childNodes":[{"type":2,"tagName":"p","attributes":{},"id":6,"childNodes":[{"type":3,"textContent":"","id":7}]}]}`
	for name, steps := range map[string][]string{
		"typing":                       {snapshot(input(``)), event(3, `{"source":5,"id":5,"text":"`+secret+`","isChecked":false}`)},
		"typing somewhere":             {snapshot(``), event(3, `{"source":5,"id":77,"text":"`+secret+`","isChecked":false}`)},
		"choosing":                     {snapshot(input(`"type":"radio"`)), event(3, `{"source":5,"id":5,"text":"`+secret+`","isChecked":true}`)},
		"value":                        {snapshot(input(``)), attribute(5, `"value":"`+secret+`"`)},
		"value of a hidden input":      {snapshot(input(`"type":"hidden"`)), attribute(5, `"value":"`+secret+`"`)},
		"value of something unknown":   {snapshot(``), attribute(77, `"value":"`+secret+`"`)},
		"value, then a button":         {snapshot(input(`"type":"password"`)), attribute(5, `"type":"submit","value":"`+secret+`"`)},
		"a button at last":             {snapshot(input(`"type":"password"`)), attribute(5, `"type":"button"`), attribute(5, `"value":"`+secret+`"`)},
		"a button, a field, a button":  {snapshot(input(`"type":"button"`)), attribute(5, `"type":"text"`), attribute(5, `"type":"button"`), attribute(5, `"value":"`+secret+`"`)},
		"a button that is typed into":  {snapshot(input(`"type":"button"`)), event(3, `{"source":5,"id":5,"text":"x","isChecked":false}`), attribute(5, `"value":"`+secret+`"`)},
		"a button in a new snapshot":   {snapshot(input(`"type":"password"`)), attribute(5, `"type":"button"`), snapshot(input(`"type":"button","value":"` + secret + `"`))},
		"an added field":               {snapshot(``), add(2, input(`"value":"`+secret+`"`))},
		"an added option":              {snapshot(``), add(2, `{"type":2,"tagName":"option","attributes":{"value":"`+secret+`"},"id":5}`)},
		"text in an editor":            {snapshot(editor), text(7, secret)},
		"text added to an editor":      {snapshot(editor), add(6, `{"type":3,"textContent":"`+secret+`","id":8}`)},
		"a paragraph in an editor":     {snapshot(editor), add(5, `{"type":2,"tagName":"p","attributes":{},"id":8,"childNodes":[{"type":3,"textContent":"`+secret+`","id":9}]}`)},
		"and one after another":        {snapshot(editor), add(5, `{"type":2,"tagName":"p","attributes":{},"id":8,"childNodes":[]}`), add(8, `{"type":3,"textContent":"`+secret+`","id":9}`)},
		"an editor made late":          {snapshot(plain), attribute(5, `"contenteditable":"true"`), text(7, secret)},
		"an added editor":              {snapshot(``), add(2, editor), text(7, secret)},
		"an editor, moved":             {snapshot(plain + `,` + strings.NewReplacer(`"id":5`, `"id":15`, `"id":6`, `"id":16`, `"id":7`, `"id":17`).Replace(editor)), mutation(`{"parentId":5,"id":6}`, `{"parentId":15,"nextId":null,"node":{"type":2,"tagName":"p","attributes":{},"id":6,"childNodes":[]}}`, ``, ``), text(7, secret)},
		"text of a removed node":       {snapshot(plain), mutation(`{"parentId":2,"id":5}`, ``, ``, ``), text(7, secret)},
		"text of an unknown node":      {snapshot(plain), text(77, secret)},
		"text added to something":      {snapshot(plain), add(77, `{"type":3,"textContent":"`+secret+`","id":8}`)},
		"a text area's text":           {snapshot(`{"type":2,"tagName":"textarea","attributes":{},"id":5,"childNodes":[{"type":3,"textContent":"","id":6}]}`), text(6, secret)},
		"a field of an unknown parent": {snapshot(``), add(77, input(`"value":"`+secret+`"`))},
		"a link":                       {snapshot(plain), attribute(5, `"href":"http://a.test/?`+secret+`"`)},
		"a handler":                    {snapshot(plain), attribute(5, `"onclick":"`+secret+`"`)},
		"a document in a text":         {snapshot(plain), attribute(5, `"srcdoc":"`+secret+`"`)},
		"itself below itself":          {snapshot(editor), mutation(`{"parentId":2,"id":5}`, `{"parentId":6,"nextId":null,"node":{"type":2,"tagName":"div","attributes":{},"id":5,"childNodes":[]}}`, ``, ``), text(7, secret)},
	} {
		d := newDocument()
		for i, raw := range steps {
			got := take(t, d, raw)
			if strings.Contains(got, secret) {
				t.Errorf("%s, step %d leaves: %s", name, i, got)
			}
		}
	}
	// And what is none of that stays, also after all that.
	d := newDocument()
	take(t, d, snapshot(plain))
	for _, raw := range []string{text(7, "Orders"), add(6, `{"type":3,"textContent":"Orders","id":8}`), attribute(5, `"title":"Orders"`)} {
		if got := take(t, d, raw); !strings.Contains(got, "Orders") {
			t.Errorf("%s became %s", raw, got)
		}
	}
}

func TestNothingIsToldWhileAPersonDrives(t *testing.T) {
	driving := true
	d := newDocument(func(o *wall.Options) { o.Driving = func(float64) bool { return driving } })
	page := `{"type":2,"tagName":"style","attributes":{},"id":4,"childNodes":[{"type":3,"textContent":"p{}","id":14}]},` +
		`{"type":2,"tagName":"p","attributes":{"title":"` + secret + `","class":"greeting","data-x":"` + secret + `"},"id":5,"childNodes":[{"type":3,"textContent":"` + secret + `","id":6}]}`
	for _, raw := range []string{
		snapshot(page),
		mutation(``, ``, `{"id":6,"value":"`+secret+`"}`, ``),
		mutation(``, ``, ``, `{"id":5,"attributes":{"aria-label":"`+secret+`"}}`),
		mutation(``, `{"parentId":5,"nextId":null,"node":{"type":3,"textContent":"`+secret+`","id":7}}`, ``, ``),
	} {
		got := take(t, d, raw)
		if strings.Contains(got, secret) {
			t.Errorf("leaves: %s", got)
		}
	}
	if got := take(t, d, snapshot(page)); !strings.Contains(got, `"class":"greeting"`) || !strings.Contains(got, "p{}") {
		t.Errorf("looks are no words: %s", got)
	}
	driving = false
	// What changed meanwhile stays masked, in a snapshot too; what comes now is told.
	got := take(t, d, snapshot(page+`,{"type":2,"tagName":"p","attributes":{},"id":25,"childNodes":[{"type":3,"textContent":"Orders","id":26}]}`))
	if strings.Contains(got, secret) || !strings.Contains(got, "Orders") {
		t.Errorf("after the takeover: %s", got)
	}
	if got := take(t, d, mutation(``, ``, `{"id":26,"value":"All orders"}`, ``)); !strings.Contains(got, "All orders") {
		t.Errorf("after the takeover: %s", got)
	}
}

func TestTypedTextsAreLookedForEverywhere(t *testing.T) {
	s := wall.NewSecrets([]string{"token-0123456789"})
	d := newDocument(func(o *wall.Options) { o.Secrets = s })
	s.Typed(" " + secret + "\n")
	s.Typed("Ada")
	s.Typed("4111 1111 1111 1111")
	s.Typed("ab")
	got := take(t, d, snapshot(`{"type":2,"tagName":"p","attributes":{"title":"It is `+secret+`!","id":"Ada","class":"Ada","width":"Ada"},"id":5,"childNodes":[`+
		`{"type":3,"textContent":"You typed `+secret+`, or `+strings.ToUpper(secret)+`","id":6},{"type":3,"textContent":" Ada ","id":7},{"type":3,"textContent":"Adapter ab","id":8}]},`+
		`{"type":2,"tagName":"img","attributes":{"src":"http://a.test/?card=4111+1111+1111+1111&t=token-0123456789","alt":"ada"},"id":9}`))
	for _, gone := range []string{secret, strings.ToUpper(secret), `" Ada "`, "4111+1111", `"alt":"ada"`, "token-0123456789"} {
		if strings.Contains(got, gone) {
			t.Errorf("%q is left in %s", gone, got)
		}
	}
	for _, stays := range []string{`"id":"Ada"`, `"class":"Ada"`, `"width":"Ada"`, "Adapter ab", "You typed [REDACTED], or [REDACTED]"} {
		if !strings.Contains(got, stays) {
			t.Errorf("%q is not left in %s", stays, got)
		}
	}
	for range 1000 {
		s.Typed(strings.Repeat("x", 20))
	}
	for i := range 600 {
		s.Typed(fmt.Sprintf("another text %d", i))
	}
	if got := s.Scrub("another text 599 and " + secret); got != "[REDACTED] and "+secret {
		t.Errorf("the oldest are forgotten: %s", got)
	}
}

// TestOnceWrittenStaysMasked: what was an editor for a while is no page's own words
// afterwards, in a change and in a new snapshot.
func TestOnceWrittenStaysMasked(t *testing.T) {
	d := newDocument()
	heading := func(attributes, text string) string {
		return `{"type":2,"tagName":"h1","attributes":{` + attributes + `},"id":5,"childNodes":[{"type":3,"textContent":"` + text + `","id":6}]}`
	}
	take(t, d, snapshot(heading("", "Title")))
	take(t, d, event(3, `{"source":0,"texts":[],"removes":[],"adds":[],"attributes":[{"id":5,"attributes":{"contenteditable":"true"}}]}`))
	take(t, d, event(3, `{"source":0,"texts":[{"id":6,"value":"`+secret+`"}],"removes":[],"adds":[],"attributes":[]}`))
	take(t, d, event(3, `{"source":0,"texts":[],"removes":[],"adds":[],"attributes":[{"id":5,"attributes":{"contenteditable":null}}]}`))
	for name, e := range map[string]string{
		"change":   event(3, `{"source":0,"texts":[{"id":6,"value":"`+secret+`"}],"removes":[],"adds":[],"attributes":[]}`),
		"snapshot": snapshot(heading("", secret)),
	} {
		if got := take(t, d, e); strings.Contains(got, secret) {
			t.Errorf("a %s tells it: %s", name, got)
		}
	}
}

// TestTypedTextsInAddressesAndStyles: what is known to be typed is in neither.
func TestTypedTextsInAddressesAndStyles(t *testing.T) {
	secrets := wall.NewSecrets(nil)
	secrets.Typed("Grace Hopper")
	secrets.Typed("ada")
	for url, want := range map[string]string{
		"http://a.test/search/Grace%20Hopper/x": "http://a.test/search/[REDACTED]/x",
		"http://a.test/search/grace+hopper":     "http://a.test/search/grace+hopper",
		"http://a.test/u/Ada":                   "http://a.test/u/[REDACTED]",
		"http://ada/adapter":                    "http://ada/adapter",
		"about:blank":                           "about:blank",
		"http://a.test/%zz/x":                   "http://a.test/%zz/x",
	} {
		if got := secrets.ScrubAddress(url); got != want {
			t.Errorf("%s became %s, want %s", url, got, want)
		}
	}
}
