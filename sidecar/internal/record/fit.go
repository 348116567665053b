package record

import (
	"slices"
	"strings"
)

// Bounds of what a store takes.
const (
	// maxStoredDepth is how deep an event may nest: stores take 512 levels of a
	// whole batch, which is three more.
	maxStoredDepth = 508
	// shortEnough is what is not worth taking out of a snapshot that is too large.
	shortEnough = 1 << 10
)

// fit wraps a page's event for the store, one or several texts of at most limit
// bytes. What does not fit is made to, beginning with what a replay misses least;
// style sheets follow their snapshot as changes of it. False where nothing helps.
func fit(v *value, at float64, limit int) (events [][]byte, ok bool) {
	tree := treeOf(v)
	if deep := v.depth() - maxStoredDepth; deep > 0 {
		if tree == nil {
			return nil, false
		}
		// The tree itself begins some levels down, at most four.
		prune(tree, maxStoredDepth-4)
	}
	whole := wrap(v, at)
	if len(whole) <= limit {
		return [][]byte{whole}, true
	}
	if tree == nil {
		return nil, false
	}
	var sheets []sheet
	for _, step := range []func(){
		func() { eachNode(tree, dropData) },
		func() { sheets = takeSheets(tree, len(whole)-limit) },
		func() { eachNode(tree, cutText) },
		func() { shorten(tree, limit-(len(whole)-treeSize(tree))) },
	} {
		step()
		if whole = wrap(v, at); len(whole) <= limit {
			return append([][]byte{whole}, sheetEvents(sheets, v, at, limit)...), true
		}
	}
	return nil, false
}

// wrap is a page's event as the store takes it.
func wrap(v *value, at float64) []byte {
	b := append([]byte(`{"kind":"rrweb","timestamp":`), formatTime(at)...)
	b = v.appendTo(append(b, `,"data":`...))
	return append(b, '}')
}

// treeOf is the serialised document in an event: a snapshot's, or that of a frame
// which appears in its parent. Nil in others.
func treeOf(v *value) *value {
	data := v.field("data")
	if node := data.field("node"); node != nil {
		return node
	}
	if attached := data.field("isAttachIframe"); attached != nil && attached.text == "true" {
		if adds := data.field("adds").items(); len(adds) == 1 {
			return adds[0].field("node")
		}
	}
	return nil
}

func eachNode(node *value, f func(*value)) {
	f(node)
	children := node.field("childNodes").items()
	for i := range children {
		eachNode(&children[i], f)
	}
}

// prune cuts off what nests deeper than levels.
func prune(node *value, levels int) {
	children := node.field("childNodes")
	if children == nil {
		return
	}
	if levels < 4 { // this node, its list, a child and the child's attributes
		*children = listValue()
		return
	}
	for i := range children.c.items {
		prune(&children.c.items[i], levels-2)
	}
}

// dropData takes long pictures and fonts out that stand in the markup itself.
func dropData(node *value) {
	attributes := node.field("attributes")
	if attributes != nil && attributes.kind == object {
		attributes.keep(func(key string, v *value) bool {
			if !v.isString() || len(v.text) <= shortEnough {
				return true
			}
			if strings.HasPrefix(v.text, "data:") {
				return false
			}
			v.text = withoutData(v.text)
			return true
		})
	}
	if t := node.field("textContent"); t.isString() && len(t.text) > shortEnough {
		t.text = withoutData(t.text)
	}
}

// withoutData empties the long data: addresses of a style sheet or a list of
// pictures.
func withoutData(s string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, "data:")
		if i < 0 {
			break
		}
		end := strings.IndexAny(s[i:], `"') `)
		if end < 0 {
			end = len(s) - i
		}
		out.WriteString(s[:i])
		if end <= shortEnough {
			out.WriteString(s[i : i+end])
		} else {
			out.WriteString("data:,")
		}
		s = s[i+end:]
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + s
}

// sheet is a style sheet that was taken out of a snapshot.
type sheet struct {
	id  value
	css string
}

// takeSheets takes the longest style sheets out until so many bytes are saved.
func takeSheets(tree *value, excess int) []sheet {
	type place struct {
		attributes *value
		id         value
		size       int
	}
	var places []place
	eachNode(tree, func(n *value) {
		a := n.field("attributes")
		if css := a.field("_cssText"); css.isString() && len(css.text) > shortEnough && n.field("id") != nil {
			places = append(places, place{a, *n.field("id"), len(css.text)})
		}
	})
	slices.SortStableFunc(places, func(a, b place) int { return b.size - a.size })
	var taken []sheet
	for _, p := range places {
		if excess <= 0 {
			break
		}
		taken = append(taken, sheet{p.id, p.attributes.field("_cssText").text})
		p.attributes.remove("_cssText")
		excess -= p.size
	}
	return taken
}

// sheetEvents gives style sheets back as changes of their elements, which is how
// the library itself tells of a sheet that arrives late. One that is too long by
// itself is left out.
func sheetEvents(sheets []sheet, v *value, at float64, limit int) (events [][]byte) {
	for _, s := range sheets {
		change := objectValue("type", intValue(eventChange), "data", objectValue(
			"source", intValue(changeMutation), "texts", listValue(), "removes", listValue(), "adds", listValue(),
			"attributes", listValue(objectValue("id", s.id, "attributes", objectValue("_cssText", stringValue(s.css))))),
			"timestamp", *v.field("timestamp"), "tab", *v.field("tab"))
		if b := wrap(&change, at); len(b) <= limit {
			events = append(events, b)
		}
	}
	return events
}

// cutText shortens long texts and takes long attributes out.
func cutText(node *value) {
	if t := node.field("textContent"); t.isString() && len(t.text) > shortEnough {
		t.text = strings.ToValidUTF8(t.text[:shortEnough], "")
	}
	if a := node.field("attributes"); a != nil && a.kind == object {
		a.keep(func(_ string, v *value) bool { return !v.isString() || len(v.text) <= shortEnough })
	}
}

// shorten keeps the beginning of a document: as many nodes in their order as fit.
func shorten(tree *value, room int) {
	room -= ownSize(tree)
	var keep func(node *value)
	keep = func(node *value) {
		children := node.field("childNodes")
		if children == nil || children.kind != list {
			return
		}
		children.keep(func(_ string, child *value) bool {
			own := ownSize(child) + len(",")
			if room < own {
				room = -1 // nothing that comes later is kept either
				return false
			}
			room -= own
			keep(child)
			return true
		})
	}
	keep(tree)
}

func treeSize(node *value) int { return len(node.appendTo(nil)) }

// ownSize is the size of a node without its children.
func ownSize(node *value) int {
	children := node.field("childNodes")
	if children == nil {
		return treeSize(node)
	}
	saved := *children
	*children = listValue()
	size := treeSize(node)
	*children = saved
	return size
}
