package wall

import "github.com/pillion-browser/pillion/sidecar/internal/record/tree"

// Node ids of the library count from 1 in every document. A replay may hold
// several documents at once (frames of other sites, in some players even other
// tabs), so each document gets numbers of its own.
const (
	// blockBits is the size of what is given away at a time: a document rarely
	// needs more than one, and the numbers stay short.
	blockBits = 16
	// maxBlocks bounds what one document may take: 256 million nodes.
	maxBlocks = 4096
)

// IDs gives ranges of ids to documents. The first one begins at 0, so that the
// first document keeps its numbers. It is for one goroutine.
type IDs struct{ next int64 }

// idMap translates the ids of one document.
type idMap struct {
	from  *IDs
	given map[int64]int64 // of the document's blocks
}

// global is id for everybody. Ids that mean "none" (0 and below) stay. False for
// what no honest document counts up to.
func (m *idMap) global(id int64) (int64, bool) {
	if id <= 0 {
		return id, id >= -2
	}
	block, low := id>>blockBits, id&(1<<blockBits-1)
	to, ok := m.given[block]
	if !ok {
		if len(m.given) >= maxBlocks {
			return 0, false
		}
		if m.given == nil {
			m.given = map[int64]int64{}
		}
		to = m.from.next
		m.from.next++
		m.given[block] = to
	}
	return to<<blockBits | low, true
}

// change translates the ids under the keys of an object where they are. False
// when one is no id.
func (m *idMap) change(v *tree.Value, keys ...string) bool {
	for _, key := range keys {
		if f := v.Get(key); f != nil && !f.IsNull() && !m.changeValue(f) {
			return false
		}
	}
	return true
}

func (m *idMap) changeValue(f *tree.Value) bool {
	id, ok := f.Whole()
	if !ok {
		return false
	}
	if id, ok = m.global(id); !ok {
		return false
	}
	*f = tree.Int(id)
	return true
}
