package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Bounds of one post. The ingest is a service of the host's, and no reason for
// anything to hang.
const (
	postTimeout = 15 * time.Second
	dialTimeout = 5 * time.Second
	// maxAnswer is as much of an answer as is read: it holds an error's code.
	maxAnswer = 4 << 10
)

// poster posts batches to one address.
type poster struct {
	url    string
	token  proto.Secret
	client *http.Client
	id     string // of the recording
}

// newPoster goes to url and nowhere else: not through a proxy of the environment,
// and not where an answer sends it with the token.
func newPoster(url string, token proto.Secret, id string, timeout time.Duration) *poster {
	return &poster{url: url, token: token, id: id, client: &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout: dialTimeout,
			IdleConnTimeout:     time.Minute,
			MaxIdleConns:        1,
			DisableCompression:  true,
			ForceAttemptHTTP2:   true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// batchHeader names a batch, the same at each attempt, so that a store can tell
// one that it has from a new one when its answer was lost.
const batchHeader = "Pillion-Batch"

// post sends one batch and reads what the ingest says to it.
func (p *poster) post(ctx context.Context, number int, events batch, zip bool) answer {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body(events, time.Now(), zip)))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+p.token.Reveal())
	req.Header.Set("Content-Type", "application/json")
	if zip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	req.Header.Set(batchHeader, p.id+"-"+strconv.Itoa(number))
	res, err := p.client.Do(req)
	if err != nil {
		var outer *url.Error // says the address, which may hold a secret of the host's
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return answer{err: err}
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, after: retryAfter(res.Header.Get("Retry-After"), time.Now())}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil && a.status >= 300 {
		a.err = err
	}
	if a.status >= 400 {
		var said struct {
			Code string `json:"code"`
		}
		if json.Unmarshal(text, &said) == nil {
			a.code = said.Code
		}
	}
	return a
}

func (p *poster) close() { p.client.CloseIdleConnections() }

// retryAfter reads the header's seconds or date; 0 of anything else.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), int(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
