package browser

import (
	"github.com/chromedp/cdproto/fetch"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Chromium asks for the proxy's credentials once and then sends them along by
// itself, until its network process dies; the next one asks again. It asks the
// session that intercepts the request, and where none does, the request fails or
// hangs. Documents are always intercepted; the rest only while a challenge may
// come, since interception costs each request a round trip.

// ExpectChallenge says whether the proxy may soon ask any request for its
// credentials. It does not wait.
func (b *Browser) ExpectChallenge(may bool) {
	patterns := documents()
	if may {
		patterns = []*fetch.RequestPattern{{URLPattern: "*"}}
	}
	cdp.Start(b.conn.Root(), fetch.Enable, guarded(patterns))
}

// guarded is how the browser's session intercepts requests.
func guarded(patterns []*fetch.RequestPattern) fetch.EnableParams {
	return fetch.EnableParams{Patterns: patterns, HandleAuthRequests: ptr(true)}
}

// authRequired answers the egress proxy's challenge, once a request: asking
// again means that the answer was wrong. A site's own challenge is cancelled, so
// that its 401 page shows.
func (b *Browser) authRequired(ev fetch.EventAuthRequired) {
	answer := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	if ev.AuthChallenge != nil && ev.AuthChallenge.Source == fetch.AuthChallengeSourceProxy {
		b.mu.Lock()
		again := b.guard.answered[ev.RequestID]
		if len(b.guard.answered) > keptFrames {
			clear(b.guard.answered)
		}
		b.guard.answered[ev.RequestID] = true
		b.mu.Unlock()
		if !again {
			answer = &fetch.AuthChallengeResponse{
				Response: fetch.AuthChallengeResponseResponseProvideCredentials,
				Username: b.opts.ProxyUser.Reveal(), Password: b.opts.ProxyPassword.Reveal(),
			}
		}
	}
	cdp.Start(b.conn.Root(), fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: ev.RequestID, AuthChallengeResponse: answer})
}
