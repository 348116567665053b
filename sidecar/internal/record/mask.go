package record

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fixedStars stand for what nobody may know the length of.
const fixedStars = "********"

// maxStars bounds a mask; how long a long text was is nobody's business either.
const maxStars = 64

// stars replaces a value by as many stars. A value that is masked already stays.
func stars(s string, secret bool) string {
	if s == "" {
		return s
	}
	if secret {
		return fixedStars
	}
	return strings.Repeat("*", min(utf8.RuneCountInString(s), maxStars))
}

// starText replaces the letters of a text and leaves its words and lines.
func starText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return r
		}
		return '*'
	}, s)
}

// The types of nodes in the library's trees.
const (
	nodeDocument = 0
	nodeDoctype  = 1
	nodeElement  = 2
	nodeText     = 3
	nodeCDATA    = 4
	nodeComment  = 5
)

// wall is the second wall of masking. It goes over every event of one document
// and trusts nothing that the page's side says about it.
type wall struct {
	ids     *idMap
	mirror  *mirror
	secrets *secrets
	// driving: a person has the controls. What the page says now may be an echo of
	// what the person types.
	driving bool
	gone    []int64 // nodes that a mutation removed and has not brought back
}

// tree masks a serialised node and what is below it, gives them their ids and
// makes them known. s is about the node's own place. False if it is no such tree.
func (w *wall) tree(v *value, parent *mirrored, s surroundings, old *mirror) bool {
	if v.kind != object {
		return false
	}
	typ, ok := v.field("type").whole()
	if !ok || typ < nodeDocument || typ > nodeComment {
		return false
	}
	id, ok := v.field("id").whole()
	if !ok || !w.ids.change(v, "id", "rootId") {
		return false
	}
	n := w.mirror.add(id, parent)
	if n != nil {
		if old != nil {
			n.takeMemory(old.get(id))
		}
		n.veiled = n.veiled || w.driving
	}
	tag := ""
	switch typ {
	case nodeElement:
		tag = strings.ToLower(v.field("tagName").str())
		attributes := v.field("attributes")
		if tag == "" || attributes != nil && attributes.kind != object {
			return false
		}
		seen := n
		if seen == nil {
			seen = &mirrored{veiled: true} // too many to be known
		}
		seen.tag = tag
		seen.describe(attributes)
		if attributes != nil {
			w.attributes(attributes, seen, s)
		}
	case nodeText:
		w.text(v.field("textContent"), n, s)
	case nodeCDATA, nodeComment:
		if t := v.field("textContent"); t != nil {
			*t = stringValue("")
		}
	case nodeDocument, nodeDoctype:
	}
	children := v.field("childNodes")
	if children == nil {
		return true
	}
	if children.kind != list {
		return false
	}
	in := s.in(n, tag)
	for i := range children.c.items {
		if !w.tree(&children.c.items[i], n, in, old) {
			return false
		}
	}
	return true
}

// text masks a text node's content.
func (w *wall) text(t *value, n *mirrored, s surroundings) {
	if t == nil || t.kind == null {
		return
	}
	if !t.isString() {
		*t = stringValue("")
		return
	}
	switch {
	case s.written:
		t.text = starText(t.text)
	case s.style && !s.unknown:
	case s.unknown || s.veiled || w.driving || n == nil || n.veiled:
		t.text = starText(t.text)
	default:
		t.text = w.secrets.scrub(t.text)
	}
}

// attributes masks what an element's attributes say. The element is described.
func (w *wall) attributes(attributes *value, n *mirrored, s surroundings) {
	veiled := w.driving || n.veiled || s.veiled
	attributes.keep(func(key string, v *value) bool {
		key = strings.ToLower(key)
		if key == "srcdoc" || strings.HasPrefix(key, "on") || key == "selected" && n.tag == "option" {
			return false // a document in a text; the page's code; a choice
		}
		if !v.isString() {
			// Flags, sizes, and the differences of a style. A number may be a value.
			if key == "value" && v.kind == number && n.field() && !n.label() {
				*v = stringValue(stars(v.text, n.secret))
			}
			return true
		}
		switch key {
		case "value":
			// A tag that is not known may be a field.
			if n.tag == "" || n.field() && !n.label() {
				v.text = stars(v.text, n.secret)
				return true
			}
		case "class", "style", "_csstext", "id", "d", "points", "type", "rel", "sizes", "media", "dir", "lang", "for":
			return true // no words, and a page is not itself without them
		case "href", "action", "formaction", "rr_src", "xlink:href", "cite", "ping", "src":
			v.text = w.address(v.text, n.tag, key)
			return true
		}
		switch {
		case !wordy(key):
			v.text = w.secrets.scrubInside(v.text)
		case veiled:
			v.text = starText(v.text)
		default:
			v.text = w.secrets.scrub(v.text)
		}
		return true
	})
}

// wordy says whether an attribute can hold an echo of what somebody types.
func wordy(key string) bool {
	switch key {
	case "title", "alt", "placeholder", "label", "content", "value", "summary", "download":
		return true
	}
	return strings.HasPrefix(key, "aria-") || strings.HasPrefix(key, "data-")
}

// address is what of an address may be told: of one that a click would follow,
// origin and path; of one that makes up the page, everything but what was typed.
func (w *wall) address(s, tag, key string) string {
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s, "\x00\t\n\r ")), ":")
	switch scheme {
	case "javascript", "vbscript":
		return "about:blank"
	case "data", "blob":
		return s // pictures; too long ones are cut with the rest
	}
	follows := key != "src" && key != "href" && key != "xlink:href" ||
		tag == "a" || tag == "area" || tag == "iframe" || tag == "frame" || tag == ""
	if follows {
		s, _, _ = strings.Cut(s, "?")
		s, _, _ = strings.Cut(s, "#")
	}
	return w.secrets.scrubInside(s)
}
