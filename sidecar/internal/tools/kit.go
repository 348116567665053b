package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// Resolver turns what an agent calls an address into a URL of the app, or says
// why not; policy.App is one.
type Resolver interface {
	Origin() string
}

// Options is what a Kit is made of. Browser is required.
type Options struct {
	Browser         *browser.Browser
	Uploads, Output string // the session's directories, absolute
	Events          *event.Stream
	Log             *slog.Logger
}

// Kit is the tools of one browser.
type Kit struct {
	opts  Options
	specs []spec
	list  []*sdk.Tool

	mu     sync.Mutex
	views  map[*browser.Tab]*page.View
	first  chan struct{} // closed when the first page is there, or gave up
	opened sync.Once
	refuse []string // connections that the proxy refused and no agent was told of
}

// firstPageWait is how long a call waits for the app's first page, which begins
// to load with the browser: agents expect to find it there.
const firstPageWait = 2 * time.Second

//go:embed tools.json
var specJSON []byte

// spec is one entry of tools.json.
type spec struct {
	Name        string              `json:"name"`
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Kind        string              `json:"kind"`    // "read" or "act"
	Modal       string              `json:"modal"`   // what it answers: "dialog" or "chooser"
	Context     bool                `json:"context"` // works without a tab, and past a dialog
	Properties  map[string]property `json:"properties"`
	Required    []string            `json:"required"`
}

func (s spec) schema() property {
	closed := false
	props := s.Properties
	if props == nil {
		props = map[string]property{}
	}
	return property{Type: "object", Properties: props, Required: s.Required, Closed: &closed}
}

// New makes the tools of o.Browser.
func New(o Options) (*Kit, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	k := &Kit{opts: o, views: map[*browser.Tab]*page.View{}, first: make(chan struct{})}
	if err := json.Unmarshal(specJSON, &k.specs); err != nil {
		return nil, err
	}
	for _, s := range k.specs {
		schema, err := json.Marshal(s.schema())
		if err != nil {
			return nil, err
		}
		destructive, open := s.Kind == "act", true
		k.list = append(k.list, &sdk.Tool{
			Name: s.Name, Description: s.Description, InputSchema: json.RawMessage(schema),
			Annotations: &sdk.ToolAnnotations{Title: s.Title, ReadOnlyHint: !destructive, DestructiveHint: &destructive, OpenWorldHint: &open},
		})
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
	if e.Kind != event.Refused || e.Tab != 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.refuse) < keptRefusals {
		k.refuse = append(k.refuse, "Refused a "+e.Detail["kind"]+" to "+e.Detail["target"]+": "+e.Detail["rule"])
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

func (k *Kit) awaitFirstPage(ctx context.Context) {
	select {
	case <-k.first:
	case <-time.After(firstPageWait):
	case <-ctx.Done():
	}
}

// view is the snapshot state of a tab, made on first use. Those of closed tabs
// are dropped along the way.
func (k *Kit) view(t *browser.Tab) *page.View {
	k.mu.Lock()
	defer k.mu.Unlock()
	for old := range k.views {
		select {
		case <-old.Closed():
			delete(k.views, old)
		default:
		}
	}
	v := k.views[t]
	if v == nil {
		v = page.New(t)
		k.views[t] = v
	}
	return v
}

// NewSet is the tools of one more MCP session.
func (k *Kit) NewSet() *Set {
	return &Set{kit: k, shown: map[*browser.Tab]header{}, logged: map[*browser.Tab]int{}, escapes: k.opts.Browser.Mark()}
}
