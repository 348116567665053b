package live

import (
	"encoding/json"
	"slices"
)

// wants is what a viewer asks for beyond the original's messages.
type wants struct {
	ask    bool // what agents ask of people
	binary bool // pictures as binary messages
	mac    bool // its command key means Control
	modals bool // dialogs and file choosers as messages
	tabs   bool // the list of tabs, and to go where it likes
	touch  bool // its fingers are the page's

	clipboard bool // what is selected, for its own clipboard
	downloads bool // what becomes of files that pages save
	pickers   bool // lists, dates and colours to choose from
}

// of is the wish of this name; nil for one that nobody knows.
func (w *wants) of(name string) *bool {
	switch name {
	case "ask":
		return &w.ask
	case "binary":
		return &w.binary
	case "clipboard":
		return &w.clipboard
	case "downloads":
		return &w.downloads
	case "pickers":
		return &w.pickers
	case "mac":
		return &w.mac
	case "modals":
		return &w.modals
	case "tabs":
		return &w.tabs
	case "touch":
		return &w.touch
	}
	return nil
}

// readWants reads the features that a viewer's auth asks for, and gives those that
// are known.
func readWants(f fields) (w wants, known []string) {
	var asked []string
	if json.Unmarshal(f["features"], &asked) != nil {
		return w, nil
	}
	for _, name := range asked {
		if want := w.of(name); want != nil && !*want {
			*want = true
			known = append(known, name)
		}
	}
	slices.Sort(known)
	return w, known
}
