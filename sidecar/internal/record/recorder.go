package record

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// Options is what a Recorder is made of. URL, Token and Events are required.
type Options struct {
	URL   string       // of the ingest
	Token proto.Secret // bearer token of the ingest

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
	secrets *secrets
	account account
	mark    string // of our scripts' messages
	now     func() time.Time

	inbox   *inbox
	batcher *batcher
	queue   *queue
	poster  *poster
	spool   *spool          // nil: memory alone
	pages   pages           // of the worker alone
	floods  map[int]*bucket // by tab; of the worker alone

	// held is until when what pages tell may be an echo of what a person types, in
	// epoch milliseconds; see [Recorder.driving].
	held atomic.Int64

	ctx      context.Context // ends with the recorder
	cancel   context.CancelFunc
	drain    context.Context // ends with the time for the last posts
	giveUp   context.CancelFunc
	closing  chan struct{}
	once     sync.Once
	work     sync.WaitGroup // the worker and what it has under way in pages
	posting  sync.WaitGroup
	unlisten func()
}

// New starts a recorder. Nothing is recorded until something happens.
func New(o Options) (*Recorder, error) {
	o.BatchEvents = cmp.Or(o.BatchEvents, proto.DefaultBatchEvents)
	o.BatchBytes = cmp.Or(o.BatchBytes, proto.DefaultBatchBytes)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{
		opts: o, log: o.Log, secrets: newSecrets(o.Secrets), mark: "pillion " + rand.Text(), now: time.Now,
		inbox: newInbox(), batcher: newBatcher(o.BatchEvents, o.BatchBytes), floods: map[int]*bucket{}, closing: make(chan struct{}),
	}
	r.pages = newPages()
	if o.SpoolBytes > 0 {
		var err error
		if r.spool, err = openSpool(o.SpoolDir, o.SpoolBytes); err != nil {
			return nil, err
		}
	}
	r.queue = newQueue(r.spool, r.batcher.fits, r.lose)
	r.poster = newPoster(o.URL, o.Token, rand.Text(), r.now)
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.drain, r.giveUp = context.WithCancel(context.Background())
	up := &uploader{
		queue: r.queue, post: r.poster.post, sleep: sleep, account: &r.account, lose: r.lose,
		stored: func() { r.inbox.push(0, r.healthy) }, patient: r.spool != nil, log: r.log,
	}
	r.posting.Go(func() { up.run(r.drain) })
	r.work.Go(r.run)
	r.unlisten = o.Events.Listen(r.happened)
	return r, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run is the worker: whatever is recorded goes through it, one by one.
func (r *Recorder) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		for {
			do, ok := r.inbox.pop()
			if !ok {
				break
			}
			r.safely(do)
		}
		r.mend()
		at, due := r.batcher.due()
		if wait := at.Sub(r.now()); due && wait <= 0 {
			r.queue.push(r.batcher.take())
			continue
		} else if due {
			timer.Reset(wait)
		} else {
			timer.Reset(batchWait)
		}
		select {
		case <-r.inbox.ready:
		case <-timer.C:
		case <-r.closing:
			r.inbox.close()
			for do, ok := r.inbox.pop(); ok; do, ok = r.inbox.pop() {
				r.safely(do)
			}
			r.queue.push(r.batcher.take())
			return
		}
	}
}

// safely keeps a fault of ours from ending the session: the recording is the less
// important of the two.
func (r *Recorder) safely(do func()) {
	defer func() {
		if p := recover(); p != nil {
			r.account.invalid(1)
			r.log.Error("recording: failed on an event", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// record puts an event into the recording. It runs on the worker.
func (r *Recorder) record(it item) {
	r.account.recorded(1)
	if len(it.json) > r.batcher.largest() {
		r.lose(LostTooLarge, it)
		return
	}
	for _, b := range r.batcher.add(it, r.now()) {
		r.queue.push(b)
	}
}

// lose counts events that were recorded and will not arrive. Everybody may call it.
func (r *Recorder) lose(reason Reason, lost ...item) {
	if len(lost) == 0 {
		return
	}
	r.account.lost(reason, len(lost))
	tabs := map[int]bool{}
	for _, it := range lost {
		if it.class != classFact && it.tab > 0 && reason != LostTooLarge {
			tabs[it.tab] = true
		}
	}
	if len(tabs) > 0 {
		r.inbox.push(0, func() {
			for tab := range tabs {
				r.pages.damaged[tab] = true
			}
		})
	}
}

// healthy runs when the ingest has taken a batch: now a replay can be mended, and
// told of what it lacks.
func (r *Recorder) healthy() {
	if n := r.account.unsaid(); n > 0 {
		r.marker(r.now(), 0, "recording_gap", "dropped", intValue(int64(n)))
	}
	r.mend()
}

// closeShare is the most that the last posts may take; the original's.
const closeShare = 5 * time.Second

// Close ends the recording: no event comes any more, and what is there is posted
// until ctx ends, five seconds at most. It returns the account.
func (r *Recorder) Close(ctx context.Context) Report {
	r.once.Do(func() {
		r.unlisten()
		r.cancel()
		close(r.closing)
		r.work.Wait()
		r.queue.close()
		ctx, cancel := context.WithTimeout(ctx, closeShare)
		defer cancel()
		stop := context.AfterFunc(ctx, r.giveUp)
		r.posting.Wait()
		stop()
		r.giveUp()
		r.poster.close()
		if r.spool != nil {
			r.spool.close()
		}
		report := r.account.get()
		r.log.Info("recording: the account", "recorded", report.Recorded, "sent", report.Sent, "dropped", report.Lost(),
			"reasons", report.Dropped, "invalid", report.Invalid)
	})
	return r.account.get()
}
