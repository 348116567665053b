package record

import "strings"

// change judges and masks an incremental event. useful is false for what there is
// no document for yet.
func (d *document) change(data *value) (ok, useful bool) {
	source, ok := data.field("source").whole()
	if !ok {
		return false, false
	}
	w := &d.wall
	switch source {
	case changeMutation:
		ok = w.mutation(data)
	case changeMove, changeTouch, changeDrag:
		ok = eachOf(data.field("positions"), func(p *value) bool { return w.ids.change(p, "id") })
	case changeClick, changeScroll, changeMedia:
		ok = w.ids.change(data, "id")
	case changeSize, changeFont, changeElement:
		ok = true
	case changeInput:
		ok = w.input(data)
	case changeRule, changeStyle:
		ok = w.ids.change(data, "id", "styleId")
	case changeSelection:
		ok = eachOf(data.field("ranges"), func(r *value) bool { return w.ids.change(r, "start", "end") })
	case changeAdopted:
		ok = w.adopted(data)
	default:
		// Canvas commands are run by some players, and we record none.
		return false, false
	}
	return ok, d.begun
}

// eachOf calls f for the objects of a list; false when it is no such list.
func eachOf(v *value, f func(*value) bool) bool {
	if v == nil || v.kind != list {
		return false
	}
	for i := range v.c.items {
		if v.c.items[i].kind != object || !f(&v.c.items[i]) {
			return false
		}
	}
	return true
}

// input is what a field holds now.
func (w *wall) input(data *value) bool {
	id, ok := data.field("id").whole()
	if !ok || !w.ids.change(data, "id") {
		return false
	}
	n := w.mirror.get(id)
	if n != nil {
		n.typed = true
	}
	t := data.field("text")
	if t == nil {
		return true
	}
	if !t.isString() {
		return false
	}
	t.text = stars(t.text, n != nil && n.secret)
	return true
}

// adopted is the style sheets of a document that are made by script.
func (w *wall) adopted(data *value) bool {
	if !w.ids.change(data, "id") {
		return false
	}
	ids := data.field("styleIds")
	if ids == nil || ids.kind != list {
		return false
	}
	for i := range ids.c.items {
		if !w.ids.changeValue(&ids.c.items[i]) {
			return false
		}
	}
	styles := data.field("styles")
	return styles == nil || styles.kind == null || eachOf(styles, func(s *value) bool { return w.ids.change(s, "styleId") })
}

// mutation goes in the order in which a replay does: what leaves, what comes, what
// is changed.
func (w *wall) mutation(data *value) bool {
	parts := map[string]func(*value) bool{
		"removes": w.removed, "adds": w.added, "texts": w.retold, "attributes": w.changed,
	}
	defer w.forget()
	for _, key := range []string{"removes", "adds", "texts", "attributes"} {
		if !eachOf(data.field(key), parts[key]) {
			return false
		}
	}
	return true
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

func (w *wall) removed(r *value) bool {
	id, ok := r.field("id").whole()
	if !ok || !w.ids.change(r, "id", "parentId") {
		return false
	}
	if n := w.mirror.get(id); n != nil {
		n.cut() // and forgotten, unless it comes back with the adds
		w.gone = append(w.gone, id)
	}
	return true
}

func (w *wall) added(a *value) bool {
	parentID, ok := a.field("parentId").whole()
	node := a.field("node")
	if !ok || node == nil || !w.ids.change(a, "parentId", "nextId", "previousId") {
		return false
	}
	parent := w.mirror.get(parentID)
	return w.tree(node, parent, around(parent), w.mirror)
}

func (w *wall) retold(t *value) bool {
	id, ok := t.field("id").whole()
	if !ok || !w.ids.change(t, "id") {
		return false
	}
	n := w.mirror.get(id)
	if n == nil {
		w.text(t.field("value"), nil, surroundings{unknown: true})
		return true
	}
	n.veiled = n.veiled || w.driving
	w.text(t.field("value"), n, around(n.parent))
	return true
}

func (w *wall) changed(c *value) bool {
	id, ok := c.field("id").whole()
	attributes := c.field("attributes")
	if !ok || attributes == nil || attributes.kind != object || !w.ids.change(c, "id") {
		return false
	}
	n := w.mirror.get(id)
	s := surroundings{unknown: true}
	if n == nil {
		n = &mirrored{typed: true, veiled: true}
	} else {
		n.veiled = n.veiled || w.driving && saysWords(attributes)
		s = around(n.parent)
	}
	n.describe(attributes)
	w.attributes(attributes, n, s)
	return true
}

// saysWords says whether a change of attributes can be an echo of typing.
func saysWords(attributes *value) bool {
	for _, key := range attributes.c.keys {
		if wordy(strings.ToLower(key)) {
			return true
		}
	}
	return false
}
