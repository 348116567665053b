package wall

import (
	"slices"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

// Bounds of what a store takes.
const (
	// maxStoredDepth is how deep an event may nest: stores take 512 levels of a
	// whole batch, which is three more.
	maxStoredDepth = 508
	// rootDepth is how deep the tree in an event begins, at most.
	rootDepth = 4
	// shortEnough is what is not worth taking out of a snapshot that is too large.
	shortEnough = 1 << 10
)

// fit wraps a page's event for the store, one or several texts of at most limit
// bytes. What does not fit is made to, beginning with what a replay misses least;
// style sheets follow their snapshot as changes of it. False where nothing helps.
func fit(v *tree.Value, at float64, limit int) (events [][]byte, ok bool) {
	root := treeOf(v)
	if v.Depth() > maxStoredDepth {
		if root == nil {
			return nil, false
		}
		prune(root, maxStoredDepth-rootDepth)
		if v.Depth() > maxStoredDepth {
			return nil, false // it is not the tree that is deep
		}
	}
	whole := wrap(v, at)
	if len(whole) <= limit {
		return [][]byte{whole}, true
	}
	if root == nil {
		return nil, false
	}
	var sheets []sheet
	for _, step := range []func(){
		func() { eachNode(root, dropData) },
		func() { sheets = takeSheets(root, len(whole)-limit) },
		func() { eachNode(root, cutText) },
		func() { shorten(root, limit-(len(whole)-root.Size())) },
	} {
		step()
		if whole = wrap(v, at); len(whole) <= limit {
			return append([][]byte{whole}, sheetEvents(sheets, v, at, limit)...), true
		}
	}
	return nil, false
}

// wrap is a page's event as the store takes it.
func wrap(v *tree.Value, at float64) []byte {
	b := tree.AppendNumber([]byte(`{"kind":"rrweb","timestamp":`), at)
	b = v.Append(append(b, `,"data":`...))
	return append(b, '}')
}

// treeOf is the serialised document in an event: a snapshot's, or that of a frame
// which appears in its parent. Nil in others.
func treeOf(v *tree.Value) *tree.Value {
	data := v.Get("data")
	if node := data.Get("node"); node != nil {
		return node
	}
	if adds := data.Get("adds").Items(); data.Get("isAttachIframe").IsTrue() && len(adds) == 1 {
		return adds[0].Get("node")
	}
	return nil
}

func eachNode(node *tree.Value, f func(*tree.Value)) {
	f(node)
	children := node.Get("childNodes").Items()
	for i := range children {
		eachNode(&children[i], f)
	}
}

// prune cuts off what nests deeper than levels.
func prune(node *tree.Value, levels int) {
	children := node.Get("childNodes")
	if children == nil {
		return
	}
	if levels < 4 { // this node, its list, a child and the child's attributes
		*children = tree.List()
		return
	}
	for i := range children.Items() {
		prune(&children.Items()[i], levels-2)
	}
}

// dropData takes long pictures and fonts out that stand in the markup itself.
func dropData(node *tree.Value) {
	node.Get("attributes").Keep(func(_ string, v *tree.Value) bool {
		said := v.Text()
		if len(said) <= shortEnough {
			return true
		}
		if strings.HasPrefix(said, "data:") {
			return false
		}
		*v = tree.String(withoutData(said))
		return true
	})
	if t := node.Get("textContent"); len(t.Text()) > shortEnough {
		*t = tree.String(withoutData(t.Text()))
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
		length := strings.IndexAny(s[i:], `"') `)
		if length < 0 {
			length = len(s) - i
		}
		out.WriteString(s[:i])
		if length <= shortEnough {
			out.WriteString(s[i : i+length])
		} else {
			out.WriteString("data:,")
		}
		s = s[i+length:]
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + s
}

// splitMark is where the library would spread a sheet over several texts.
const splitMark = "/* rr_split */"

// sheet is a style sheet that was taken out of a snapshot.
type sheet struct {
	id  tree.Value
	css string
}

// takeSheets takes the longest style sheets out until so many bytes are saved.
func takeSheets(root *tree.Value, excess int) (taken []sheet) {
	type place struct {
		node *tree.Value
		sheet
	}
	var places []place
	eachNode(root, func(n *tree.Value) {
		if css := n.Get("attributes").Get("_cssText").Text(); len(css) > shortEnough {
			places = append(places, place{n, sheet{*n.Get("id"), strings.ReplaceAll(css, splitMark, "")}})
		}
	})
	slices.SortStableFunc(places, func(a, b place) int { return len(b.css) - len(a.css) })
	for _, p := range places {
		if excess <= 0 {
			break
		}
		p.node.Get("attributes").Remove("_cssText")
		// A player spreads a sheet over the texts that it knows of the element, and
		// makes none where it gets the sheet later.
		if children := p.node.Get("childNodes"); children != nil {
			*children = tree.List()
		}
		taken = append(taken, p.sheet)
		excess -= len(p.css)
	}
	return taken
}

// sheetEvents gives style sheets back as changes of their elements, which is how
// the library itself tells of a sheet that arrives late. One that is too long by
// itself is left out.
func sheetEvents(sheets []sheet, v *tree.Value, at float64, limit int) (events [][]byte) {
	for _, s := range sheets {
		change := tree.Object("type", tree.Int(eventChange), "data", tree.Object(
			"source", tree.Int(changeMutation), "texts", tree.List(), "removes", tree.List(), "adds", tree.List(),
			"attributes", tree.List(tree.Object("id", s.id, "attributes", tree.Object("_cssText", tree.String(s.css))))),
			"timestamp", *v.Get("timestamp"), "tab", *v.Get("tab"))
		if b := wrap(&change, at); len(b) <= limit {
			events = append(events, b)
		}
	}
	return events
}

// cutText shortens long texts and takes long attributes out.
func cutText(node *tree.Value) {
	if t := node.Get("textContent"); len(t.Text()) > shortEnough {
		*t = tree.String(strings.ToValidUTF8(t.Text()[:shortEnough], ""))
	}
	node.Get("attributes").Keep(func(_ string, v *tree.Value) bool { return len(v.Text()) <= shortEnough })
}

// shorten keeps the beginning of a document: as many nodes in their order as fit.
func shorten(root *tree.Value, room int) {
	room -= ownSize(root)
	var keep func(node *tree.Value)
	keep = func(node *tree.Value) {
		node.Get("childNodes").Keep(func(_ string, child *tree.Value) bool {
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
	keep(root)
}

// ownSize is the size of a node without its children.
func ownSize(node *tree.Value) int {
	children := node.Get("childNodes")
	if children == nil {
		return node.Size()
	}
	saved := *children
	*children = tree.List()
	size := node.Size()
	*children = saved
	return size
}
