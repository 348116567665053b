package live

import (
	"context"
	"encoding/json"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// What happens beside the page: pickers in windows of their own, files that are
// saved, the clipboard.

// maxPicked is more than any date, time or colour has characters.
const maxPicked = 64

// PickerState is an open list, date, time or colour picker.
type PickerState struct {
	ID       int                 `json:"id"`
	Kind     string              `json:"kind"` // as [page.Picker] has it
	Label    string              `json:"label"`
	Options  []page.PickerOption `json:"options"`  // of a list
	Selected int                 `json:"selected"` // among them; -1 for none
	Value    string              `json:"value"`    // of an input, as its type writes it; so the next three
	Min      string              `json:"min"`
	Max      string              `json:"max"`
	Step     string              `json:"step"`
}

// DownloadState is what became of a file that a page saves.
type DownloadState struct {
	ID    string `json:"id"` // the same for all that is told of one file
	Name  string `json:"name"`
	State string `json:"state"` // as [browser.DownloadState] has it
	Size  int64  `json:"size"`  // bytes, when it is complete
	Why   string `json:"why"`   // it was refused
}

// Part is a piece of a file that a page has downloaded.
type Part struct {
	Name string // of the file: plain, and safe on any machine
	Size int64  // of the whole file in bytes
	Data []byte // at most [partSize]; none behind the end
}

const (
	// partSize is small enough that a viewer that asks for as many parts as it may
	// at once can't be taken for one that does not read.
	partSize = 64 << 10
	// maxDownloadID is longer than Chromium's names of downloads, and
	// maxDownload than any file.
	maxDownloadID = 64
	maxDownload   = 1 << 40
	// keptSaved is how many finished downloads whoever comes later is told of.
	keptSaved = 20
)

// wantsPickers says whether somebody is to be shown pickers.
func (h *Hub) wantsPickers() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.viewers {
		if v.wants.pickers {
			return true
		}
	}
	return false
}

// showPicker tells of a picker that opened; nil: none is open any more.
func (h *Hub) showPicker(p *PickerState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.picker = p
	for _, v := range h.viewers {
		v.showPicker(p)
	}
}

// showPicker tells one viewer. Called with the hub's lock held.
func (v *viewer) showPicker(p *PickerState) {
	if v.wants.pickers {
		v.send(json.Marshal(struct {
			Type   string       `json:"type"`
			Picker *PickerState `json:"picker"`
		}{"picker", p}))
	}
}

// downloaded tells who is there what became of files.
func (h *Hub) downloaded(news []DownloadState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range news {
		if d.State == string(browser.DownloadStored) {
			h.saved = append(h.saved, d)
			h.saved = h.saved[max(len(h.saved)-keptSaved, 0):]
		}
		message, err := downloadMessage(d)
		for _, v := range h.viewers {
			if v.wants.downloads {
				v.send(message, err)
			}
		}
	}
}

func downloadMessage(d DownloadState) ([]byte, error) {
	return json.Marshal(struct {
		Type     string        `json:"type"`
		Download DownloadState `json:"download"`
	}{"download", d})
}

// besideOf reads a message about what is beside the page; nil for one that does
// nothing.
func (h *Hub) besideOf(v *viewer, typ string, f fields) func(context.Context) error {
	c := h.opts.Controls
	switch {
	case typ == "pick" && v.wants.pickers:
		id, ok := f.whole("id", 1, 1<<31)
		if !ok {
			return nil
		}
		var choice page.Choice
		if index, ok := f.whole("index", 0, 1<<20); ok {
			choice.Index = new(int(index))
		} else if value, ok := f.text("value"); ok && chars(value) <= maxPicked {
			choice.Value = &value
		} else if !f.flag("cancel") {
			return nil
		}
		return func(ctx context.Context) error { return c.Pick(ctx, int(id), choice) }
	case typ == "fetch" && v.wants.downloads:
		id, ok := f.text("id")
		at, known := f.whole("at", 0, maxDownload)
		if !ok || !known || len(id) > maxDownloadID {
			return nil
		}
		return func(ctx context.Context) error {
			part, err := c.Fetch(ctx, id, at)
			if err != nil {
				return err
			}
			if h.lease.Holds(v.key) {
				v.send(json.Marshal(struct {
					Type string `json:"type"`
					ID   string `json:"id"`
					Name string `json:"name"`
					Size int64  `json:"size"`
					At   int64  `json:"at"`
					Data []byte `json:"data"`
				}{"part", id, part.Name, part.Size, at, part.Data}))
			}
			return nil
		}
	case typ == "copy" && v.wants.clipboard:
		return func(ctx context.Context) error {
			text, err := c.Copy(ctx)
			if err != nil {
				return err
			}
			// It may have taken a while.
			if h.lease.Holds(v.key) {
				v.send(json.Marshal(struct {
					Type string `json:"type"`
					Text string `json:"text"`
				}{"clipboard", text}))
			}
			return nil
		}
	}
	return nil
}
