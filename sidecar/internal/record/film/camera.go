package film

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

const (
	// frameRate is enough to follow a person's hand; encoding costs a core's time.
	frameRate = 10
	// readSize is one read of a part, in bytes.
	readSize = 1 << 20
	// maxPart bounds a part in memory, in bytes; a minute of a busy page has 2 MB.
	maxPart = 48 << 20
	// callTimeout bounds each call: Chromium took 0.3 s for the slowest.
	callTimeout = 5 * time.Second
	// retryAfter is when a camera that could not film tries again.
	retryAfter = 2 * time.Second
	// maxFailures ends a camera that never films: this Chromium can't.
	maxFailures = 3
)

// camera films one tab.
type camera struct {
	film   *Film
	tab    *browser.Tab
	change chan struct{} // has a token when held or over may have changed
	done   chan struct{} // closed when it has ended

	mu   sync.Mutex
	held bool // a person drives
	over bool // the tab or the session is
}

// tell changes what the camera is to do.
func (c *camera) tell(how func()) {
	c.mu.Lock()
	how()
	c.mu.Unlock()
	select {
	case c.change <- struct{}{}:
	default:
	}
}

func (c *camera) orders() (held, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held, c.over
}

// run films part after part until it is over.
func (c *camera) run(ctx context.Context) {
	defer close(c.done)
	for failures := 0; failures < maxFailures; {
		held, over := c.orders()
		switch {
		case over || c.film.isFull() || ctx.Err() != nil:
			return
		case held:
			c.wait(ctx, nil)
			continue
		}
		part, err := c.take(ctx)
		if err == nil && len(part.MP4) > 0 {
			err = c.film.keep(part)
		}
		if err == nil {
			failures = 0
			continue
		}
		if failures++; !cdp.IsGone(err) {
			c.film.failed(c.tab.ID(), err)
		}
		c.wait(ctx, time.After(retryAfter))
	}
}

// wait waits for other orders, or for a time.
func (c *camera) wait(ctx context.Context, after <-chan time.Time) {
	select {
	case <-c.change:
	case <-after:
	case <-ctx.Done():
	}
}

// take films one part.
func (c *camera) take(ctx context.Context) (part Part, err error) {
	within, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, detach, err := c.tab.Attach(within)
	if err != nil {
		return part, fmt.Errorf("attach a camera: %w", err)
	}
	defer detach()
	size := c.tab.Viewport()
	res, err := pcdp.Call(within, s, page.StartScreenRecording, page.StartScreenRecordingParams{
		FrameRate: frameRate, MaxWidth: int64(size.Width), MaxHeight: int64(size.Height),
	})
	if err != nil {
		return part, fmt.Errorf("start to film: %w", err)
	}
	part = Part{Tab: c.tab.ID(), Start: time.Now()}
	c.roll(ctx, s)
	part.End = time.Now()
	// From here on with a time of its own: the orders may be to stop.
	within, cancelEnd := context.WithTimeout(ctx, callTimeout)
	defer cancelEnd()
	stopped, err := pcdp.Call(within, s, page.StopScreenRecording, pcdp.Empty{})
	if err != nil {
		return part, fmt.Errorf("stop to film: %w", err)
	}
	stream := res.Stream
	if stopped.Stream != "" {
		stream = stopped.Stream
	}
	defer cdp.Start(s, cdpio.Close, cdpio.CloseParams{Handle: stream})
	part.MP4, err = readAll(within, s, stream)
	return part, err
}

// roll films until the part is long enough, or other orders come.
func (c *camera) roll(ctx context.Context, s *cdp.Session) {
	end := time.NewTimer(c.film.opts.Part)
	defer end.Stop()
	for {
		select {
		case <-c.change:
			if held, over := c.orders(); held || over {
				return
			}
		case <-end.C:
			return
		case <-s.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// readAll reads a stream.
func readAll(ctx context.Context, s *cdp.Session, stream cdpio.StreamHandle) ([]byte, error) {
	var film bytes.Buffer
	for {
		res, err := pcdp.Call(ctx, s, cdpio.Read, cdpio.ReadParams{Handle: stream, Size: readSize})
		if err != nil {
			return nil, fmt.Errorf("read a film: %w", err)
		}
		film.Write(res.Data)
		switch {
		case res.EOF:
			return film.Bytes(), nil
		case film.Len() > maxPart:
			return nil, errTooLarge
		}
	}
}

var errTooLarge = errors.New("the film is too large to be kept")
