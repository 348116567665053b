package live

import (
	"context"
	"sync"

	pcdp "github.com/chromedp/cdproto/cdp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// titles asks documents for their titles: a browser without windows tells of a
// title before the document that it belongs to, or not at all.
type titles struct {
	ctx   context.Context
	stop  context.CancelFunc
	work  sync.WaitGroup
	asked map[*browser.Tab]pcdp.LoaderID // the document; the screencast's
}

func newTitles() *titles {
	ctx, cancel := context.WithCancel(context.Background())
	return &titles{ctx: ctx, stop: cancel, asked: map[*browser.Tab]pcdp.LoaderID{}}
}

// want asks once a document for a title that nobody knows. The browser tells of
// the answer as of any change.
func (t *titles) want(open []*browser.Tab) {
	known := make(map[*browser.Tab]pcdp.LoaderID, len(open))
	for _, tab := range open {
		document := tab.MainFrame().Document()
		if tab.Title() == "" && !tab.Loading() && t.asked[tab] != document {
			t.work.Go(func() { tab.ReadTitle(t.ctx) })
		} else {
			document = t.asked[tab]
		}
		known[tab] = document
	}
	t.asked = known
}

// close ends it, when the last answer is there or given up.
func (t *titles) close() {
	t.stop()
	t.work.Wait()
}
