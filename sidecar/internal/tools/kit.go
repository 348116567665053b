package tools

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// Options is what a Kit is made of. Browser and Files are required.
type Options struct {
	Browser      *browser.Browser
	Files        *files.Store
	Capabilities []string // groups of tools beside the core: proto.Capability…
	// Snapshot is what answers show of the page unless a call says otherwise: a
	// proto.Snapshot… constant, SnapshotFull when empty.
	Snapshot          string
	SnapshotMaxChars  int // of a page in an answer; 0 = the default of proto
	ScreenshotMaxEdge int // pixels of a picture's longer side; 0 = the default of proto
	Events            *event.Stream
	// Desk is where browser_ask_person asks people; nil: the tool is not offered.
	Desk *takeover.Desk
	Log  *slog.Logger
}

// Kit is the tools of one browser.
type Kit struct {
	opts  Options
	specs []spec
	list  []*sdk.Tool

	mu      sync.Mutex
	views   map[*browser.Tab]*page.View
	printed page.History
	logs    map[*browser.Tab]*consoleLog
	first   chan struct{} // closed when the first page is there, or gave up
	opened  sync.Once
	refuse  []string // connections that the proxy refused and no agent was told of
}

// firstPageWait is how long a call waits for the app's first page, which begins
// to load with the browser: agents expect to find it there.
const firstPageWait = 2 * time.Second

// New makes the tools of o.Browser.
func New(o Options) (*Kit, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	defaults := proto.Launch{Snapshot: o.Snapshot, SnapshotMaxChars: o.SnapshotMaxChars, ScreenshotMaxEdge: o.ScreenshotMaxEdge}.WithDefaults()
	o.Snapshot, o.SnapshotMaxChars, o.ScreenshotMaxEdge = defaults.Snapshot, defaults.SnapshotMaxChars, defaults.ScreenshotMaxEdge
	k := &Kit{
		opts: o, views: map[*browser.Tab]*page.View{}, logs: map[*browser.Tab]*consoleLog{}, first: make(chan struct{}),
	}
	groups := o.Capabilities
	if o.Desk != nil {
		groups = append(slices.Clone(groups), personGroup)
	}
	var err error
	if k.specs, err = offered(groups); err != nil {
		return nil, err
	}
	for _, s := range k.specs {
		t, err := s.tool()
		if err != nil {
			return nil, err
		}
		k.list = append(k.list, t)
	}
	if o.Events != nil {
		o.Events.Listen(k.hear)
	}
	return k, nil
}

// keptRefusals bounds what waits for the next result; a page can cause any
// number.
const keptRefusals = 20

func (k *Kit) hear(e event.Event) {
	// Navigations are the browser's to remember, with whose they were.
	r := e.Refusal()
	if e.Kind != event.Refused || r.Kind != event.RefusedConnection {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if text := r.String(); len(k.refuse) < keptRefusals && !slices.Contains(k.refuse, text) {
		k.refuse = append(k.refuse, text)
	}
}

// OpenApp loads the app's first page; tool calls wait for it for a moment.
func (k *Kit) OpenApp(ctx context.Context, url string) error {
	defer k.opened.Do(func() { close(k.first) })
	tabs := k.opts.Browser.Tabs()
	if len(tabs) == 0 {
		return browser.ErrTabClosed
	}
	_, err := tabs[0].Navigate(ctx, url)
	return err
}

// StoreDownloads takes in what pages download, until ctx or the browser ends.
// It returns at once when downloads can't be allowed.
func (k *Kit) StoreDownloads(ctx context.Context) error {
	b, store := k.opts.Browser, k.opts.Files
	if err := b.AllowDownloads(ctx, browser.DownloadRules{Dir: store.Inbox(), Max: store.MaxDownload()}); err != nil {
		return err
	}
	for {
		d, err := b.ArrivedDownload(ctx)
		if err != nil {
			return nil // there is nobody left to download for
		}
		saved, err := store.Receive(d.ID, d.Name)
		if err != nil {
			k.opts.Log.Warn("a download could not be stored", "error", err)
		}
		b.StoreDownload(d.ID, saved.Link, saved.Size, err)
	}
}

func (k *Kit) awaitFirstPage(ctx context.Context) {
	select {
	case <-k.first:
	case <-time.After(firstPageWait):
	case <-ctx.Done():
	}
}

// view is the snapshot state of a tab, made on first use. That of closed tabs
// is dropped along the way.
func (k *Kit) view(t *browser.Tab) *page.View {
	k.mu.Lock()
	defer k.mu.Unlock()
	for old := range k.views {
		if isClosed(old) {
			delete(k.views, old)
			delete(k.logs, old)
		}
	}
	v := k.views[t]
	if v == nil {
		v = k.printed.View(t)
		k.views[t] = v
	}
	return v
}

func isClosed(t *browser.Tab) bool {
	select {
	case <-t.Closed():
		return true
	default:
		return false
	}
}

// NewSet is the tools of one more MCP session.
func (k *Kit) NewSet() *Set {
	return &Set{
		kit: k, shown: map[*browser.Tab]header{}, told: map[*browser.Tab]toldLog{},
		escapes: k.opts.Browser.Mark(), downloads: k.opts.Browser.LastDownload(),
	}
}

// List is what is offered, in order.
func (k *Kit) List() []*sdk.Tool { return k.list }
