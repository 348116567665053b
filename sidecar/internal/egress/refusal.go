package egress

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// Rule names why a connection was refused, for programs.
type Rule string

// The rules.
const (
	RulePrivate       Rule = "private_address" // a literal of an address that is not public
	RuleLocalName     Rule = "local_name"
	RuleUnresolved    Rule = "unresolved"
	RulePrivateAnswer Rule = "private_answer" // a name with such an address among its answers
	RuleNotApp        Rule = "not_app"        // in egress mode app-only
	RuleNotListed     Rule = "not_listed"     // in egress mode allow-list
	RulePort          Rule = "blocked_port"
	RuleAppScheme     Rule = "app_scheme" // plain text for the port of the app, or of an allowed origin, that is https
	RuleCertificate   Rule = "app_certificate"
	RulePrefetch      Rule = "prefetch"
	RuleUpgrade       Rule = "upgrade"
	RuleMethod        Rule = "method"
	RuleWebRTC        Rule = "webrtc"
	RuleMalformed     Rule = "malformed" // CONNECT without a readable host:port
)

// Reasons of this package, in the manner of policy's.
const (
	reasonAppScheme   policy.Reason = "is the app's TLS port, and the request is plain HTTP"
	reasonCertificate policy.Reason = "shows a certificate that nothing vouches for"
	reasonPrefetch    policy.Reason = "may not be prefetched"
	reasonUpgrade     policy.Reason = "may not be upgraded without a tunnel"
	reasonMethod      policy.Reason = "may not be asked with this method"
	reasonWebRTC      policy.Reason = "may not be reached by WebRTC"
	reasonMalformed   policy.Reason = "is not a host and a port"
)

// settingCA is the setting that makes more certificates good for the app.
const settingCA = "app_ca"

// ruleOf is the rule behind one of policy's reasons.
func ruleOf(reason policy.Reason) Rule {
	switch reason {
	case policy.ReasonPrivate:
		return RulePrivate
	case policy.ReasonLocalName:
		return RuleLocalName
	case policy.ReasonResolves:
		return RulePrivateAnswer
	case policy.ReasonNotApp:
		return RuleNotApp
	case policy.ReasonNotListed:
		return RuleNotListed
	}
	return RuleUnresolved
}

// refusalOf begins a refusal of a place.
func refusalOf(pl place, rule Rule, reason policy.Reason, setting string) *Refusal {
	host := strings.TrimSuffix(strings.TrimPrefix(pl.host, "["), "]")
	return &Refusal{Host: host, Port: pl.port, Rule: rule, Reason: reason, Setting: setting}
}

// Refusal is one connection that was not made.
type Refusal struct {
	Host    string // as the URL parser serialises it, IPv6 without brackets; "" if it could not be read
	Port    uint16
	Rule    Rule
	Reason  policy.Reason // reads on after host:port
	Setting string        // the config key that could allow it; "" for none
	// Unreported counts earlier refusals that were over the limit and not reported.
	Unreported int
}

// String is the sentence that the client gets.
func (r Refusal) String() string {
	if r.Host == "" {
		return "the target " + string(r.Reason)
	}
	return policy.HostPort(r.Host, r.Port) + " " + string(r.Reason)
}

// Record is the refusal as the rest of the session tells it.
func (r Refusal) Record() event.Refusal {
	target := ""
	if r.Host != "" {
		target = policy.HostPort(r.Host, r.Port)
	}
	return event.Refusal{
		Kind: event.RefusedConnection, Target: target, Rule: string(r.Rule), Reason: string(r.Reason),
		Setting: r.Setting, Unreported: r.Unreported,
	}
}

// reporter logs refusals and hands them on, at a rate that a page can't choose.
type reporter struct {
	log  *slog.Logger
	hand func(Refusal)
	now  func() time.Time

	mu         sync.Mutex
	window     time.Time // start of the running one
	hosts      map[string]int
	reported   int
	unreported int
}

// report tells of r, or counts it. Each report carries the count so far.
func (q *reporter) report(r Refusal) {
	q.mu.Lock()
	if now := q.now(); now.Sub(q.window) >= refusalWindow {
		q.window, q.hosts, q.reported = now, map[string]int{}, 0
	}
	if q.reported >= maxRefusals || q.hosts[r.Host] >= maxRefusalsPerHost {
		q.unreported++
		q.mu.Unlock()
		return
	}
	q.reported++
	q.hosts[r.Host]++
	r.Unreported, q.unreported = q.unreported, 0
	q.mu.Unlock()

	r.Record().Log(q.log)
	q.hand(r)
}
