package deliver

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// How an ingest that fails is tried again.
const (
	// patientRetry is the pause between attempts once the short ones are used up,
	// where a spool keeps what comes meanwhile.
	patientRetry = 5 * time.Second
	// maxRetryAfter is as long as an ingest may ask us to wait.
	maxRetryAfter = 30 * time.Second
	// maxSplits bounds the posts for one refused batch: enough to find five bad
	// events in a thousand, and no help for an ingest that refuses everything.
	maxSplits = 128
	// fullSize is what an ingest that is not full takes in any case. One that
	// refuses less for its size takes nothing any more.
	fullSize = 16 << 10
)

// retries are the pauses before further attempts: the original's.
func retries() []time.Duration {
	return []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}
}

// answer is what the ingest said to one post.
type answer struct {
	status int // 0: there was none
	err    error
	code   string        // of the error in the body
	after  time.Duration // Retry-After; 0 when there was none that could be read
}

// fate is what to do about a post.
type fate uint8

const (
	stored fate = iota
	again       // the same post later
	plain       // the same post without compression
	split       // less of it
	give        // without it
	finish      // nothing more at all
)

// judge is the table of answers.
func judge(a answer) fate {
	switch {
	case a.status == 0 || a.status >= 500 || a.status == http.StatusTooManyRequests:
		return again
	case a.status < 300:
		return stored
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return finish
	case a.status == http.StatusRequestEntityTooLarge || a.status == http.StatusUnprocessableEntity:
		return split
	case a.status == http.StatusUnsupportedMediaType:
		return plain
	}
	return give
}

// uploader posts batches, one at a time and in order.
type uploader struct {
	queue   *queue
	post    func(ctx context.Context, number int, events batch, zip bool) answer
	sleep   func(context.Context, time.Duration) error
	account *account
	lose    func(Reason, ...Item)
	// stored is told of every success.
	stored  func()
	patient bool // never gives a batch up because the ingest is away
	log     *slog.Logger

	unzipped bool   // the ingest takes no gzip
	over     Reason // nothing is posted any more, and why
	number   int    // of the batch, parts of one that was split counting anew
	splits   int    // posts that are left for the batch that is split
	told     map[Reason]bool
}

// run posts until the queue is closed and empty, or ctx ends; then what is left is
// lost.
func (u *uploader) run(ctx context.Context) {
	for ctx.Err() == nil {
		b, ok := u.queue.next(ctx)
		if !ok {
			break
		}
		u.splits = maxSplits
		u.send(ctx, b)
	}
	u.queue.close()
	u.queue.drop(LostAtStop)
}

// send posts a batch, and parts of it where that is refused.
func (u *uploader) send(ctx context.Context, b batch) {
	if len(b) == 0 {
		return
	}
	if u.over != "" {
		u.lose(u.over, b...)
		return
	}
	switch a, what := u.try(ctx, b); what {
	case stored:
		u.account.sent(len(b))
		u.stored()
	case again:
		reason := LostAway
		if ctx.Err() != nil {
			reason = LostAtStop
		}
		u.say(reason, "the ingest can't be reached; a batch is lost", "status", a.status, "error", a.err)
		u.lose(reason, b...)
	case finish:
		u.over = LostToken
		u.say(LostToken, "the ingest refused the recording token; nothing more is recorded", "status", a.status)
		u.lose(LostToken, b...)
	case split:
		u.split(ctx, b, a)
	default:
		reason := LostRefused
		if a.status < 400 {
			reason = LostRedirected
		}
		u.say(reason, "the ingest refused a batch", "status", a.status, "code", a.code)
		u.lose(reason, b...)
	}
}

// split finds the events for which a batch was refused.
func (u *uploader) split(ctx context.Context, b batch, a answer) {
	if len(b) == 1 || u.splits <= 0 {
		if a.code == codeFull && b.bytes() < fullSize {
			u.over = LostFull
			u.say(LostFull, "the ingest takes no more of this recording")
			u.lose(LostFull, b...)
			return
		}
		u.say(LostRefused, "the ingest refused events", "status", a.status, "code", a.code)
		u.lose(LostRefused, b...)
		return
	}
	u.splits -= 2
	u.send(ctx, b[:len(b)/2])
	u.send(ctx, b[len(b)/2:])
}

// codeFull is in an answer to a batch, or a recording, that is over a limit.
const codeFull = "recording_limit"

// try posts until there is an answer that more attempts would not change.
func (u *uploader) try(ctx context.Context, b batch) (answer, fate) {
	u.number++
	pauses := retries()
	for n := 0; ; n++ {
		a := u.post(ctx, u.number, b, !u.unzipped)
		what := judge(a)
		if what == plain && !u.unzipped {
			u.unzipped = true
			n--
			continue
		}
		if what != again {
			return a, what
		}
		pause := patientRetry
		if n < len(pauses) {
			pause = pauses[n]
		} else if !u.patient {
			return a, again
		}
		if a.after > pause {
			pause = min(a.after, maxRetryAfter)
		}
		if u.sleep(ctx, pause) != nil {
			return a, again
		}
	}
}

// say logs a kind of trouble when it is new; the account at the end has the numbers.
func (u *uploader) say(kind Reason, what string, args ...any) {
	if u.told[kind] {
		return
	}
	if u.told == nil {
		u.told = map[Reason]bool{}
	}
	u.told[kind] = true
	u.log.Warn("recording: "+what, args...)
}
