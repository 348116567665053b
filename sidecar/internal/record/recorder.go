package record

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
)

// Options is what a Recorder is made of. Events is required, and either URL and
// Token or Keep.
type Options struct {
	URL   string       // of the ingest
	Token proto.Secret // bearer token of the ingest

	// Keep takes the recording instead of an ingest, as deliver.Options says.
	Keep func(ctx context.Context, name string, events []json.RawMessage) error

	BatchEvents int  // 0 = proto.DefaultBatchEvents
	BatchBytes  int  // 0 = proto.DefaultBatchBytes
	Actions     bool // also record tool calls

	// SpoolBytes is how much may wait on disk while the ingest is down, in a file
	// without a name in SpoolDir; 0 = nothing.
	SpoolBytes int
	SpoolDir   string

	Events  *event.Stream // what happens besides what pages tell
	Secrets []string      // tokens of the session, masked wherever they turn up
	Log     *slog.Logger
}

// Recorder is the recording of one browser. Make it with [New] before the browser
// starts, hand [Recorder.Attach] and [Recorder.Private] to it, and end it with
// [Recorder.Close].
type Recorder struct {
	opts    Options
	log     *slog.Logger
	secrets *wall.Secrets
	mark    string // of our scripts' messages
	hands   hands  // of whoever drives
	out     *deliver.Delivery

	inbox  *inbox
	pages  pages           // of the worker alone
	floods map[int]*bucket // by tab; of the worker alone

	// held is until when what pages tell may be an echo of what a person types, in
	// epoch milliseconds; see [Recorder.driving].
	held atomic.Int64

	ctx      context.Context // ends with the recorder
	cancel   context.CancelFunc
	closing  chan struct{}
	once     sync.Once
	report   deliver.Report
	starting sync.Mutex     // of work
	closed   bool           // nothing starts any more
	work     sync.WaitGroup // the worker and what it has under way in pages
	unlisten func()
}

// New starts a recorder. Nothing is recorded until something happens.
func New(o Options) (*Recorder, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{
		opts: o, log: o.Log, secrets: wall.NewSecrets(o.Secrets), mark: "pillion " + rand.Text(),
		inbox: newInbox(), pages: newPages(), floods: map[int]*bucket{}, closing: make(chan struct{}),
	}
	r.hands.known = r.secrets.Typed
	var err error
	if r.out, err = deliver.New(deliver.Options{
		URL: o.URL, Token: o.Token, Keep: o.Keep, BatchEvents: o.BatchEvents, BatchBytes: o.BatchBytes,
		SpoolBytes: o.SpoolBytes, SpoolDir: o.SpoolDir, Log: o.Log,
		OnLost: r.lost, OnStored: func() { r.inbox.push(0, r.healthy) },
	}); err != nil {
		return nil, err
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.work.Go(r.run)
	r.unlisten = o.Events.Listen(r.happened)
	return r, nil
}

// mendEvery is how often the worker looks whether a tab needs mending.
const mendEvery = time.Second

// run is the worker: whatever is recorded goes through it, one by one.
func (r *Recorder) run() {
	tick := time.NewTicker(mendEvery)
	defer tick.Stop()
	for {
		for do, ok := r.inbox.pop(); ok; do, ok = r.inbox.pop() {
			r.safely(do)
		}
		select {
		case <-r.inbox.ready:
		case <-tick.C:
			r.safely(r.mend)
		case <-r.closing:
			r.inbox.close()
			for do, ok := r.inbox.pop(); ok; do, ok = r.inbox.pop() {
				r.safely(do)
			}
			return
		}
	}
}

// safely keeps a fault of ours from ending the session: the recording is the less
// important of the two.
func (r *Recorder) safely(do func()) {
	defer func() {
		if p := recover(); p != nil {
			r.out.Invalid(1)
			r.log.Error("recording: failed on an event", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// spawn starts work that ends with the recorder.
func (r *Recorder) spawn(do func()) {
	r.starting.Lock()
	defer r.starting.Unlock()
	if !r.closed {
		r.work.Go(do)
	}
}

// lost hears of events that will not arrive: a replay is wrong from there on.
func (r *Recorder) lost(reason deliver.Reason, items []deliver.Item) {
	tabs := map[int]bool{}
	for _, it := range items {
		if it.Class != deliver.Fact && it.Tab > 0 {
			tabs[it.Tab] = true
		}
	}
	if len(tabs) > 0 && reason != deliver.LostTooLarge {
		r.inbox.push(0, func() {
			for tab := range tabs {
				r.pages.damaged[tab] = true
			}
		})
	}
}

// healthy runs when the ingest has taken a batch: a replay can be mended now, and
// told of what it lacks.
func (r *Recorder) healthy() {
	if n := r.out.Unsaid(); n > 0 {
		r.marker(time.Now(), 0, "recording_gap", pair{"dropped", tree.Int(int64(n))})
	}
	r.mend()
}

// Report is the account up to now.
func (r *Recorder) Report() deliver.Report { return r.out.Report() }

// Close ends the recording: no event comes any more, and what is there is posted
// until ctx ends, five seconds at most. It returns the account.
func (r *Recorder) Close(ctx context.Context) deliver.Report {
	r.once.Do(func() {
		r.unlisten()
		r.starting.Lock()
		r.closed = true
		r.starting.Unlock()
		r.cancel()
		close(r.closing)
		r.work.Wait()
		r.report = r.out.Close(ctx)
		r.log.Info("recording: the account", "recorded", r.report.Recorded, "sent", r.report.Sent,
			"dropped", r.report.Lost(), "reasons", r.report.Dropped, "invalid", r.report.Invalid)
	})
	return r.report
}
