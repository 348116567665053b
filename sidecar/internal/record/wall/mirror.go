package wall

import (
	"slices"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

// maxMirrored bounds what is known of one document: some 10 MiB. Of nodes beyond
// it nothing is known, and what is not known is masked.
const maxMirrored = 100_000

// maxClimb bounds a look from a node upwards; a page may nest as deep as it likes.
const maxClimb = 4096

// mirror is what the second wall knows of a document: which nodes there are, and
// what of each decides whether its text may be told.
type mirror struct{ nodes map[int64]*mirrored }

type mirrored struct {
	id                     int64
	parent                 *mirrored
	first, previous, later *mirrored // first child; neighbours

	tag      string // lower case; "" for text and the rest
	kind     string // an input's type, lower case
	hint     string // its autocomplete, lower case
	editable bool   // what is in it is what somebody writes, or once did
	typed    bool   // a field that once took typing; its value is masked for good
	secret   bool   // … and its length is
	veiled   bool   // changed while a person drove; masked for good
}

func newMirror() *mirror { return &mirror{nodes: map[int64]*mirrored{}} }

// get is what is known of a node; nil when nothing is.
func (m *mirror) get(id int64) *mirrored { return m.nodes[id] }

// add makes a node known, below parent where that is known. A node that is known
// already moves there with its children and its memory. Nil when there are too many.
func (m *mirror) add(id int64, parent *mirrored) *mirrored {
	n := m.nodes[id]
	if n == nil {
		if len(m.nodes) >= maxMirrored {
			return nil
		}
		n = &mirrored{id: id}
		m.nodes[id] = n
	} else {
		climbed := 0
		for up := parent; up != nil; up = up.parent {
			// Nothing hangs below itself, whatever a page says.
			if climbed++; up == n || climbed > maxClimb {
				return n
			}
		}
		n.cut()
	}
	if n.parent = parent; parent != nil {
		n.later = parent.first
		if n.later != nil {
			n.later.previous = n
		}
		parent.first = n
	}
	return n
}

// cut takes a node out of its parent's children.
func (n *mirrored) cut() {
	switch {
	case n.previous != nil:
		n.previous.later = n.later
	case n.parent != nil && n.parent.first == n:
		n.parent.first = n.later
	}
	if n.later != nil {
		n.later.previous = n.previous
	}
	n.parent, n.previous, n.later = nil, nil, nil
}

// remove forgets a node and what is below it.
func (m *mirror) remove(id int64) {
	n := m.nodes[id]
	if n == nil {
		return
	}
	n.cut()
	// Depth first without a stack of its own: the tree may be as deep as a page likes.
	for at := n; ; {
		if at.first != nil {
			at = at.first
			continue
		}
		delete(m.nodes, at.id)
		if at == n {
			return
		}
		up := at.parent
		if up.first = at.later; up.first != nil {
			up.first.previous = nil
		}
		at = up
	}
}

// takeMemory passes on what a node's former self knew and its markup does not say.
func (n *mirrored) takeMemory(old *mirrored) {
	if old != nil {
		n.typed, n.secret, n.veiled = n.typed || old.typed, n.secret || old.secret, n.veiled || old.veiled
		n.editable = n.editable || old.editable
	}
}

// field says whether the node is one that takes typing or choosing.
func (n *mirrored) field() bool {
	switch n.tag {
	case "input", "textarea", "select", "option":
		return true
	}
	// A component that stands for a field says so by its value alone.
	return strings.Contains(n.tag, "-")
}

// label says whether an input's value is the page's own words: a button's.
func (n *mirrored) label() bool {
	if n.tag != "input" {
		return false
	}
	switch n.kind {
	case "submit", "button", "reset", "image":
		return !n.typed
	}
	return false
}

// describe reads what attributes say; a key that is not among them changes nothing.
func (n *mirrored) describe(attributes *tree.Value) {
	attributes.Each(func(key string, v *tree.Value) {
		switch strings.ToLower(key) {
		case "type":
			n.kind = strings.ToLower(v.Text())
		case "autocomplete":
			n.hint = strings.ToLower(v.Text())
		case "data-rr-is-password":
			n.typed, n.secret = true, true
		case "contenteditable":
			n.editable = n.editable || !v.IsNull() && !strings.EqualFold(v.Text(), "false")
		case "role":
			// An editor that draws what is typed by itself.
			n.editable = n.editable || slices.ContainsFunc(strings.Fields(strings.ToLower(v.Text())), writable)
		}
	})
	if n.tag != "input" {
		n.typed = n.typed || n.tag == "textarea" || n.tag == "select"
		return
	}
	n.typed = n.typed || !n.label()
	for word := range strings.FieldsSeq(n.hint) {
		if strings.HasSuffix(word, "-password") || word == "one-time-code" || strings.HasPrefix(word, "cc-") {
			n.secret = true
		}
	}
	n.secret = n.secret || n.kind == "password"
}

// writable says whether a role is that of what takes typing.
func writable(role string) bool {
	return role == "textbox" || role == "searchbox" || role == "spinbutton"
}

// surroundings are what a node's place says about its text.
type surroundings struct {
	written bool // in an editor or a text area
	style   bool // in a style sheet
	unknown bool // nothing is known of the place
}

// around looks from a parent upwards.
func around(parent *mirrored) surroundings {
	if parent == nil {
		return surroundings{unknown: true}
	}
	var s surroundings
	s.style = parent.tag == "style"
	climbed := 0
	for n := parent; n != nil; n = n.parent {
		if climbed++; climbed > maxClimb {
			s.unknown = true
			break
		}
		s.written = s.written || n.editable || n.tag == "textarea"
	}
	return s
}

// in is the surroundings of n's children, where s are those of n itself.
func (s surroundings) in(n *mirrored, tag string) surroundings {
	s.style = tag == "style"
	s.unknown = s.unknown && n == nil
	if n != nil {
		s.written = s.written || n.editable || n.tag == "textarea"
	}
	return s
}
