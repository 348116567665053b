package wall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
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
	secrets *Secrets
	// driving: a person has the controls. What the page says now may be an echo of
	// what the person types.
	driving bool
	// root is the document's own node, for everybody, where it stands in another
	// document: a replay makes nodes in the document that they name. 0: it does not.
	root int64
	gone []int64 // nodes that a mutation removed and has not brought back
}

// tree masks a serialised node and what is below it, gives them their ids and
// makes them known. s is about the node's own place. False if it is no such tree.
func (w *wall) tree(v *tree.Value, parent *mirrored, s surroundings, old *mirror) bool {
	if !v.IsObject() {
		return false
	}
	typ, ok := v.Get("type").Whole()
	if !ok || typ < nodeDocument || typ > nodeComment {
		return false
	}
	id, ok := v.Get("id").Whole()
	if !ok || !w.ids.change(v, "id", "rootId") {
		return false
	}
	if w.root != 0 && typ != nodeDocument && v.Get("rootId") == nil {
		v.Set("rootId", tree.Int(w.root))
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
		tag = strings.ToLower(v.Get("tagName").Text())
		attributes := v.Get("attributes")
		if tag == "" || attributes != nil && !attributes.IsObject() {
			return false
		}
		seen := n
		if seen == nil {
			seen = &mirrored{veiled: true} // too many to be known
		}
		seen.tag = tag
		seen.describe(attributes)
		if attributes != nil {
			w.attributes(attributes, seen)
		}
	case nodeText:
		w.text(v.Get("textContent"), n, s)
	case nodeCDATA, nodeComment:
		if t := v.Get("textContent"); t != nil {
			*t = tree.String("")
		}
	case nodeDocument, nodeDoctype:
	}
	children := v.Get("childNodes")
	if children == nil {
		return true
	}
	if !children.IsList() {
		return false
	}
	in := s.in(n, tag)
	for i := range children.Items() {
		if !w.tree(&children.Items()[i], n, in, old) {
			return false
		}
	}
	return true
}

// text masks a text node's content.
func (w *wall) text(t *tree.Value, n *mirrored, s surroundings) {
	if t == nil || t.IsNull() {
		return
	}
	said := t.Text() // "" for what is no text
	switch {
	case s.written:
		said = starText(said)
	case s.style && !s.unknown:
	case s.unknown || w.driving || n == nil || n.veiled:
		said = starText(said)
	default:
		said = w.secrets.Scrub(said)
	}
	*t = tree.String(said)
}

// attributes masks what an element's attributes say. The element is described.
func (w *wall) attributes(attributes *tree.Value, n *mirrored) {
	veiled := w.driving || n.veiled
	attributes.Keep(func(key string, v *tree.Value) bool {
		key = strings.ToLower(key)
		if key == "srcdoc" || strings.HasPrefix(key, "on") || key == "selected" && n.tag == "option" {
			return false // a document in a text; the page's code; a choice
		}
		// A tag that is not known may be a field, and what once was one stays one,
		// whatever a page calls it now.
		if key == "value" && (n.tag == "" || n.typed || n.field() && !n.label()) {
			if v.IsString() || v.IsNumber() {
				*v = tree.String(stars(v.Text()+v.Literal(), n.secret))
			}
			return true
		}
		if !v.IsString() {
			if key == "style" {
				w.properties(v)
			}
			return true // flags and sizes
		}
		said := v.Text()
		switch key {
		case "sandbox":
			// In a replay the frame's document is put in from outside; nothing runs there.
			said = "allow-same-origin"
		case "style", "_csstext":
			said = w.secrets.scrubInside(said) // "content" and properties of the page's own
		case "class", "id", "d", "points", "type", "rel", "sizes", "media", "dir", "lang", "for":
			return true // no words, and a page is not itself without them
		case "href", "action", "formaction", "rr_src", "xlink:href", "cite", "ping", "src":
			said = w.address(said, n.tag, key)
		default:
			switch {
			case !wordy(key):
				said = w.secrets.scrubInside(said)
			case veiled:
				said = starText(said)
			default:
				said = w.secrets.Scrub(said)
			}
		}
		*v = tree.String(said)
		return true
	})
}

// properties masks the differences of a style: values, alone or with a priority.
func (w *wall) properties(v *tree.Value) {
	v.Each(func(_ string, value *tree.Value) {
		if value.IsString() {
			*value = tree.String(w.secrets.scrubInside(value.Text()))
		}
		for i := range value.Items() {
			if item := &value.Items()[i]; item.IsString() {
				*item = tree.String(w.secrets.scrubInside(item.Text()))
			}
		}
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
	if key == "src" && !frame(tag) || strings.HasSuffix(key, "href") && resource(tag) || strings.HasPrefix(s, "#") {
		return w.secrets.scrubInside(s)
	}
	s, _, _ = strings.Cut(s, "?")
	s, _, _ = strings.Cut(s, "#")
	return w.secrets.scrubInside(s)
}

func frame(tag string) bool { return tag == "iframe" || tag == "frame" || tag == "" }

// resource says whether an element's href is a part of the page and no link.
func resource(tag string) bool {
	switch tag {
	case "link", "image", "feimage", "use":
		return true
	}
	return false
}
