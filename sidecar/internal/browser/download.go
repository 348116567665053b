package browser

import (
	cdpbrowser "github.com/chromedp/cdproto/browser"

	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// keptDownloads bounds the list of downloads that pages can make at will.
const keptDownloads = 200

// Download is a file that a page wanted to save. It was refused: nothing is
// written.
type Download struct {
	N    int    // 1 and up
	Name string // as the page proposed it
	Tab  *Tab   // whose it is; nil when unknown
}

func (b *Browser) downloadBegins(ev cdpbrowser.EventDownloadWillBegin) {
	b.mu.Lock()
	b.nextDownload++
	d := &Download{N: b.nextDownload, Name: ev.SuggestedFilename}
	if f := b.frames[ev.FrameID]; f != nil {
		d.Tab = f.tab
	}
	b.downloads = append(b.downloads, d)
	if len(b.downloads) > keptDownloads {
		b.downloads = append([]*Download(nil), b.downloads[1:]...)
	}
	b.touch()
	b.mu.Unlock()
	tab := 0
	if d.Tab != nil {
		tab = d.Tab.id
	}
	b.events.Publish(event.Event{Kind: event.Download, Tab: tab, Detail: map[string]string{"name": d.Name, "state": "refused"}})
}

// Downloads are the refused downloads so far, oldest first.
func (b *Browser) Downloads() []Download {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Download, len(b.downloads))
	for i, d := range b.downloads {
		out[i] = *d
	}
	return out
}
