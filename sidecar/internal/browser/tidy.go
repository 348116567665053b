package browser

import (
	"context"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
)

// Documents that a tab has left stay in its renderer's memory, each with what our
// scripts had there, until V8 collects its garbage, which an idle page may never
// make it do: five pages of twenty frames hold 90 MiB. So when a tab has left
// tidyAfter documents, it is done for V8 in a pause, and takes it 30 to 200 ms.
const (
	// tidyAfter documents hold some 10 MiB, which is worth it.
	tidyAfter = 8
	// tidyPause is a silence on the connection that a script's calls never leave
	// between them, and a model that thinks always does.
	tidyPause = 300 * time.Millisecond
	// tidyTimeout bounds the wait for the answer, for a page that is busy or held
	// by a dialog; it tidies when it can.
	tidyTimeout = 10 * time.Second
)

// wantsTidying says whether tidy is to run now. Called with b.mu held.
func (t *Tab) wantsTidying() bool {
	if t.tidying || t.litter < tidyAfter {
		return false
	}
	t.tidying = true
	return true
}

// tidy waits for a pause and has the renderer of the tab's page collect its
// garbage. It is a chore.
func (t *Tab) tidy() {
	for {
		left := tidyPause - t.b.conn.Silent()
		if left <= 0 {
			break
		}
		select {
		case <-time.After(left):
		case <-t.closed:
			return
		case <-t.b.conn.Done():
			return
		}
	}
	t.b.mu.Lock()
	t.litter, t.tidying = 0, false
	t.b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), tidyTimeout)
	defer cancel()
	if _, err := pcdp.Call(ctx, t.session, heapprofiler.CollectGarbage, pcdp.Empty{}); err != nil {
		t.b.log.Debug("a tab's renderer was not tidied", "tab", t.id, "error", err)
	}
}
