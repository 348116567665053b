package wall

import (
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

// change judges and masks an incremental event.
func (d *Document) change(data *tree.Value) bool {
	source, ok := data.Get("source").Whole()
	if !ok {
		return false
	}
	w := &d.wall
	switch source {
	case changeMutation:
		return w.mutation(data)
	case changeMove, changeTouch, changeDrag:
		return eachOf(data.Get("positions"), func(p *tree.Value) bool { return w.ids.change(p, "id") })
	case changeClick, changeScroll, changeMedia:
		return w.ids.change(data, "id")
	case changeSize, changeFont, changeElement:
		return true
	case changeInput:
		return w.input(data)
	case changeRule, changeStyle:
		if set := data.Get("set"); set.IsObject() {
			w.properties(set)
		}
		return w.ids.change(data, "id", "styleId")
	case changeSelection:
		return eachOf(data.Get("ranges"), func(r *tree.Value) bool { return w.ids.change(r, "start", "end") })
	case changeAdopted:
		return w.adopted(data)
	default:
		// Canvas commands are run by some players, and we record none.
		return false
	}
}

// eachOf calls f for the objects of a list; false when it is no such list.
func eachOf(v *tree.Value, f func(*tree.Value) bool) bool {
	if !v.IsList() {
		return false
	}
	for i := range v.Items() {
		if item := &v.Items()[i]; !item.IsObject() || !f(item) {
			return false
		}
	}
	return true
}

// input is what a field holds now.
func (w *wall) input(data *tree.Value) bool {
	id, ok := data.Get("id").Whole()
	if !ok || !w.ids.change(data, "id") {
		return false
	}
	n := w.mirror.get(id)
	if n != nil {
		n.typed = true
	}
	t := data.Get("text")
	if t == nil {
		return true
	}
	if !t.IsString() {
		return false
	}
	*t = tree.String(stars(t.Text(), n != nil && n.secret))
	return true
}

// adopted is the style sheets of a document that are made by script.
func (w *wall) adopted(data *tree.Value) bool {
	if !w.ids.change(data, "id") {
		return false
	}
	ids := data.Get("styleIds")
	if !ids.IsList() {
		return false
	}
	for i := range ids.Items() {
		if !w.ids.changeValue(&ids.Items()[i]) {
			return false
		}
	}
	styles := data.Get("styles")
	return styles == nil || styles.IsNull() || eachOf(styles, func(s *tree.Value) bool { return w.ids.change(s, "styleId") })
}

// mutation goes in the order in which a replay does: what leaves, what comes, what
// is changed.
func (w *wall) mutation(data *tree.Value) bool {
	defer w.forget()
	return eachOf(data.Get("removes"), w.removed) && eachOf(data.Get("adds"), w.added) &&
		eachOf(data.Get("texts"), w.retold) && eachOf(data.Get("attributes"), w.changed)
}

// forget ends what is known of the nodes that left for good.
func (w *wall) forget() {
	for _, id := range w.gone {
		if n := w.mirror.get(id); n != nil && n.parent == nil {
			w.mirror.remove(id)
		}
	}
	w.gone = w.gone[:0]
}

func (w *wall) removed(r *tree.Value) bool {
	id, ok := r.Get("id").Whole()
	if !ok || !w.ids.change(r, "id", "parentId") {
		return false
	}
	if n := w.mirror.get(id); n != nil {
		n.cut() // and forgotten, unless it comes back with the adds
		w.gone = append(w.gone, id)
	}
	return true
}

func (w *wall) added(a *tree.Value) bool {
	parentID, ok := a.Get("parentId").Whole()
	node := a.Get("node")
	if !ok || node == nil || !w.ids.change(a, "parentId", "nextId", "previousId") {
		return false
	}
	parent := w.mirror.get(parentID)
	return w.tree(node, parent, around(parent), w.mirror)
}

func (w *wall) retold(t *tree.Value) bool {
	id, ok := t.Get("id").Whole()
	if !ok || !w.ids.change(t, "id") {
		return false
	}
	n := w.mirror.get(id)
	if n == nil {
		w.text(t.Get("value"), nil, surroundings{unknown: true})
		return true
	}
	n.veiled = n.veiled || w.driving
	w.text(t.Get("value"), n, around(n.parent))
	return true
}

func (w *wall) changed(c *tree.Value) bool {
	id, ok := c.Get("id").Whole()
	attributes := c.Get("attributes")
	if !ok || !attributes.IsObject() || !w.ids.change(c, "id") {
		return false
	}
	n := w.mirror.get(id)
	if n == nil {
		n = &mirrored{typed: true, veiled: true}
	}
	n.veiled = n.veiled || w.driving && saysWords(attributes)
	n.describe(attributes)
	w.attributes(attributes, n)
	return true
}

// saysWords says whether a change of attributes can be an echo of typing.
func saysWords(attributes *tree.Value) (words bool) {
	attributes.Each(func(key string, _ *tree.Value) { words = words || wordy(strings.ToLower(key)) })
	return words
}
