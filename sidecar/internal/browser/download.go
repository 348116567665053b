package browser

import (
	"context"
	"fmt"
	"slices"

	cdpbrowser "github.com/chromedp/cdproto/browser"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// Bounds of what pages can download at will.
const (
	keptDownloads = 200 // entries of the list of what happened
	// runningDownloads is how many files may arrive at a time, and storedDownloads
	// how many there may be in a session at all.
	runningDownloads = 10
	storedDownloads  = 500
)

// DownloadState is how far a download is.
type DownloadState string

// The states. A download begins, arrives, and is stored; or it is refused at its
// beginning or at any time later, or fails.
const (
	DownloadBegun    DownloadState = "begun"
	DownloadArrived  DownloadState = "arrived" // whole, and not yet stored
	DownloadStored   DownloadState = "completed"
	DownloadRefused  DownloadState = "refused"
	DownloadCanceled DownloadState = "canceled" // by the page, a person, or the network
)

// Download is a file that a page wants to save.
type Download struct {
	N     int    // 1 and up, of the event that this is a copy for
	ID    string // Chromium's name for it
	Name  string // as the page proposed it
	Tab   *Tab   // whose it is; nil when unknown
	State DownloadState
	Why   string // it was refused
	File  string // where it was stored, as the storing says
	Size  int64  // in bytes, when it was stored
}

// DownloadRules say what may be downloaded.
type DownloadRules struct {
	Dir string // where Chromium saves each file under its ID; its user may write there
	Max int64  // bytes of one file
}

// downloadLog is what pages have downloaded. Guarded by the browser's lock.
type downloadLog struct {
	rules  DownloadRules
	next   int
	events []Download // what happened, oldest first
	open   map[string]*Download
	stored int
}

// AllowDownloads lets pages download. Until then, every download is refused.
// Somebody must store what arrives: see [Browser.ArrivedDownload].
func (b *Browser) AllowDownloads(ctx context.Context, rules DownloadRules) error {
	b.mu.Lock()
	b.downloads.rules = rules
	b.mu.Unlock()
	root := b.conn.Root()
	cdp.On(root, cdpbrowser.DownloadProgress, func(ev cdpbrowser.EventDownloadProgress) { b.downloadProgress(ev) })
	p := cdp.Start(root, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: rules.Dir, EventsEnabled: ptr(true),
	})
	if err := p.Wait(ctx, nil); err != nil {
		return fmt.Errorf("allow downloads: %w", err)
	}
	return nil
}

func (b *Browser) downloadBegins(ev cdpbrowser.EventDownloadWillBegin) {
	b.mu.Lock()
	d := &Download{ID: ev.GUID, Name: ev.SuggestedFilename, State: DownloadBegun}
	if f := b.frames[ev.FrameID]; f != nil {
		d.Tab = f.tab
	}
	log := &b.downloads
	if log.open == nil {
		log.open = map[string]*Download{}
	}
	switch {
	case log.rules.Dir == "":
		b.refuseDownload(d, "this browser saves no files")
	case len(log.open) >= runningDownloads:
		b.refuseDownload(d, fmt.Sprintf("%d others are running", runningDownloads))
	case log.stored >= storedDownloads:
		b.refuseDownload(d, fmt.Sprintf("this session has downloaded %d files, which is the limit", storedDownloads))
	default:
		log.open[d.ID] = d
		b.noteDownload(d)
	}
	b.mu.Unlock()
	b.publish(*d)
}

// refuseDownload ends a download. Called with the lock held.
func (b *Browser) refuseDownload(d *Download, why string) {
	d.State, d.Why = DownloadRefused, why
	delete(b.downloads.open, d.ID)
	cdp.Start(b.conn.Root(), cdpbrowser.CancelDownload, cdpbrowser.CancelDownloadParams{GUID: d.ID})
	b.noteDownload(d)
}

// noteDownload takes down what happened to a download. Called with the lock
// held.
func (b *Browser) noteDownload(d *Download) {
	log := &b.downloads
	log.next++
	d.N = log.next
	log.events = append(log.events, *d)
	if len(log.events) > keptDownloads {
		log.events = slices.Clone(log.events[1:])
	}
	b.touch()
}

func (b *Browser) downloadProgress(ev cdpbrowser.EventDownloadProgress) {
	b.mu.Lock()
	d := b.downloads.open[ev.GUID]
	if d == nil || d.State != DownloadBegun {
		b.mu.Unlock()
		return
	}
	most := float64(b.downloads.rules.Max)
	switch {
	case ev.ReceivedBytes > most || ev.TotalBytes > most:
		b.refuseDownload(d, fmt.Sprintf("it is over the limit of %d MiB for one file", b.downloads.rules.Max>>20))
	case ev.State == cdpbrowser.DownloadProgressStateCompleted:
		d.State = DownloadArrived
		b.touch()
	case ev.State == cdpbrowser.DownloadProgressStateCanceled:
		d.State = DownloadCanceled
		delete(b.downloads.open, d.ID)
		b.noteDownload(d)
	}
	told := *d
	b.mu.Unlock()
	if told.State == DownloadRefused || told.State == DownloadCanceled {
		b.publish(told)
	}
}

// ArrivedDownload waits for a file that has arrived and nobody has stored. The
// caller stores it and says so with [Browser.StoreDownload].
func (b *Browser) ArrivedDownload(ctx context.Context) (found Download, err error) {
	err = b.wait(ctx, func() bool {
		for _, d := range b.downloads.open {
			if d.State == DownloadArrived && (found.ID == "" || d.N < found.N) {
				found = *d
			}
		}
		return found.ID != ""
	})
	return found, err
}

// StoreDownload says what became of an arrived file: where it was stored, or why
// it could not be.
func (b *Browser) StoreDownload(id, file string, size int64, err error) {
	b.mu.Lock()
	d := b.downloads.open[id]
	if d == nil {
		b.mu.Unlock()
		return
	}
	delete(b.downloads.open, id)
	if err != nil {
		d.State, d.Why = DownloadRefused, err.Error()
	} else {
		d.State, d.File, d.Size = DownloadStored, file, size
		b.downloads.stored++
	}
	b.noteDownload(d)
	told := *d
	b.mu.Unlock()
	b.publish(told)
}

func (b *Browser) publish(d Download) {
	tab := 0
	if d.Tab != nil {
		tab = d.Tab.id
	}
	detail := map[string]string{"name": d.Name, "state": string(d.State)}
	if d.File != "" {
		detail["file"] = d.File
	}
	if d.Why != "" {
		detail["reason"] = d.Why
	}
	b.events.Publish(event.Event{Kind: event.Download, Tab: tab, Detail: detail})
}

// Downloads are the events of downloads after number since, oldest first. One
// download has several: it begins, and it ends.
func (b *Browser) Downloads(since int) []Download {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []Download
	for _, d := range b.downloads.events {
		if d.N > since {
			list = append(list, d)
		}
	}
	return list
}

// LastDownload is the number of the newest event of downloads.
func (b *Browser) LastDownload() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.downloads.next
}

// AwaitDownloads waits until every download has come to its end that began since
// the event of that number; with expect, for one to begin at all. It waits for as
// long as ctx lasts, and reports nothing.
func (b *Browser) AwaitDownloads(ctx context.Context, since int, expect bool) {
	// What is still running then is told as running.
	_ = b.wait(ctx, func() bool {
		if expect && b.downloads.next == since {
			return false
		}
		for _, d := range b.downloads.open {
			if d.N > since {
				return false
			}
		}
		return true
	})
}
