package film

import "testing"

// TestLimit: parts are kept up to the limit, the one over it and all after it are
// not, and that is told once.
func TestLimit(t *testing.T) {
	kept, told := 0, 0
	f := &Film{opts: Options{Keep: func(Part) error { kept++; return nil }, Full: func() { told++ }, Limit: 25}}
	for range 4 {
		if err := f.keep(Part{MP4: make([]byte, 10)}); err != nil {
			t.Fatal(err)
		}
	}
	if f.keep(Part{MP4: make([]byte, 1)}); kept != 2 || told != 1 || !f.isFull() {
		t.Errorf("kept %d, told %d times, full %v", kept, told, f.isFull())
	}
}
