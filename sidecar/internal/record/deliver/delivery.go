package deliver

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Options is what a Delivery is made of. URL and Token are required, or Keep.
type Options struct {
	URL   string
	Token proto.Secret

	// Keep takes the batches instead of an ingest: all of one, or none and an error.
	// Each has a name, the same at each attempt. proto.CodeRecordingLimit says that
	// nothing more is taken.
	Keep func(ctx context.Context, name string, events []json.RawMessage) error

	BatchEvents int // 0 = proto.DefaultBatchEvents
	BatchBytes  int // 0 = proto.DefaultBatchBytes

	// SpoolBytes is how much may wait on disk while the ingest is down, in a file
	// without a name in SpoolDir; 0 = nothing.
	SpoolBytes int
	SpoolDir   string

	// PostTimeout bounds one post; 0 = 15 s.
	PostTimeout time.Duration

	// OnLost is told of events that were added and will not arrive, OnStored of each
	// batch that the ingest has taken. They must not wait. Nil: nobody is told.
	OnLost   func(Reason, []Item)
	OnStored func()
	Log      *slog.Logger
}

// closeShare is the most that the last posts may take: the original's.
const closeShare = 5 * time.Second

// Delivery is the way to one ingest. Make it with [New], end it with Close.
type Delivery struct {
	opts    Options
	account account
	queue   *queue
	spool   *spool // nil: memory alone
	poster  *poster

	mu      sync.Mutex
	batcher *batcher
	timer   *time.Timer // sends what waits; nil while nothing does
	closed  bool

	drain   context.Context // ends with the time for the last posts
	giveUp  context.CancelFunc
	posting sync.WaitGroup
}

// New starts a delivery.
func New(o Options) (*Delivery, error) {
	o.BatchEvents = cmp.Or(o.BatchEvents, proto.DefaultBatchEvents)
	o.BatchBytes = cmp.Or(o.BatchBytes, proto.DefaultBatchBytes)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.OnLost == nil {
		o.OnLost = func(Reason, []Item) {}
	}
	if o.OnStored == nil {
		o.OnStored = func() {}
	}
	d := &Delivery{opts: o, batcher: newBatcher(o.BatchEvents, o.BatchBytes)}
	if o.SpoolBytes > 0 {
		var err error
		if d.spool, err = openSpool(o.SpoolDir, o.SpoolBytes); err != nil {
			return nil, err
		}
	}
	d.queue = newQueue(d.spool, d.batcher.fits, d.lose)
	id := rand.Text()
	d.poster = newPoster(o.URL, o.Token, id, cmp.Or(o.PostTimeout, postTimeout))
	post := d.poster.post
	if o.Keep != nil {
		post = keeper{o.Keep, id}.post
	}
	d.drain, d.giveUp = context.WithCancel(context.Background())
	up := &uploader{
		queue: d.queue, post: post, sleep: sleep, account: &d.account, lose: d.lose,
		stored: o.OnStored, patient: d.spool != nil, log: o.Log,
	}
	d.posting.Go(func() { up.run(d.drain) })
	return d, nil
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

// Largest is the size in bytes of an event that still fits into a batch.
func (d *Delivery) Largest() int { return d.batcher.largest() }

// Backlog is how many batches wait.
func (d *Delivery) Backlog() int { return d.queue.length() }

// Add puts an event into the recording. One that is too large is lost.
func (d *Delivery) Add(it Item) {
	d.account.recorded(1)
	if len(it.JSON) > d.Largest() {
		d.lose(LostTooLarge, it)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		d.lose(LostAtStop, it)
		return
	}
	// In order, so under the lock; the queue never waits.
	full := d.batcher.add(it)
	for _, b := range full {
		d.queue.push(b)
	}
	if len(full) > 0 && d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if len(d.batcher.waiting) > 0 && d.timer == nil {
		d.timer = time.AfterFunc(batchWait, d.flush)
	}
}

// flush sends a batch that was not filled in time.
func (d *Delivery) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = nil
	d.queue.push(d.batcher.take())
}

// Lost counts events that belong to the recording and never became items.
func (d *Delivery) Lost(reason Reason, items ...Item) {
	d.account.recorded(len(items))
	d.lose(reason, items...)
}

// Invalid counts what was no event to begin with.
func (d *Delivery) Invalid(n int) { d.account.invalid(n) }

// Unsaid is how many events were lost since it was asked last.
func (d *Delivery) Unsaid() int { return d.account.unsaid() }

// lose counts recorded events that will not arrive.
func (d *Delivery) lose(reason Reason, lost ...Item) {
	if len(lost) == 0 {
		return
	}
	if d.account.lost(reason, len(lost)) && !reason.ofAnswers() {
		d.opts.Log.Warn("recording: events are lost", "reason", reason)
	}
	d.opts.OnLost(reason, lost)
}

// Report is the account up to now.
func (d *Delivery) Report() Report { return d.account.get() }

// Close sends what is there until ctx ends, five seconds at most, and returns the
// account.
func (d *Delivery) Close(ctx context.Context) Report {
	d.mu.Lock()
	d.closed = true
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.queue.push(d.batcher.take())
	d.mu.Unlock()
	d.queue.close()
	ctx, cancel := context.WithTimeout(ctx, closeShare)
	defer cancel()
	stop := context.AfterFunc(ctx, d.giveUp)
	d.posting.Wait()
	stop()
	d.giveUp()
	d.poster.close()
	if d.spool != nil {
		d.spool.close()
	}
	return d.account.get()
}
