package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// route is a judged destination: what may be dialled for it.
type route struct {
	to    policy.Destination
	addrs []netip.Addr
}

// judge decides about a place. tunnel is whether the client asked for CONNECT.
// The route is good if the refusal is nil.
func (p *Proxy) judge(ctx context.Context, pl place, tunnel bool) (route, *Refusal) {
	own := p.opts.OwnAddrs()
	d := p.opts.App.Destination(pl.host, pl.port, own)
	r := route{to: d}
	refuse := func(rule Rule, reason policy.Reason, setting string) (route, *Refusal) {
		return route{}, refusalOf(pl, rule, reason, setting)
	}
	addr, literal := policy.Literal(d.Host)
	switch {
	case d.Refused == policy.ReasonPrivate && literal && p.opts.InsecurePublic(addr):
		r.addrs = []netip.Addr{addr}
	case d.Refused == policy.ReasonPrivate:
		return refuse(RulePrivate, d.Refused, settingHosts)
	case d.Refused == policy.ReasonLocalName:
		return refuse(RuleLocalName, d.Refused, settingHosts)
	case d.Refused != "":
		return refuse(RuleUnresolved, d.Refused, "")
	case d.App && !tunnel && p.opts.App.TLS():
		// The exception is for the app's origin, and this is another one.
		return refuse(RuleAppScheme, reasonAppScheme, "")
	case !d.App && policy.JudgePort(d.Port) != "":
		return refuse(RulePort, policy.JudgePort(d.Port), "")
	case d.Addr.IsValid():
		r.addrs = []netip.Addr{d.Addr}
	case d.App:
		addrs, err := p.appAddrs(ctx, d.Name)
		if err != nil {
			return refuse(RuleUnresolved, policy.ReasonUnresolved, "")
		}
		r.addrs = addrs
	default:
		addrs, err := p.cache.lookup(ctx, d.Name)
		if err != nil {
			return refuse(RuleUnresolved, policy.ReasonUnresolved, "")
		}
		checked := slices.DeleteFunc(slices.Clone(addrs), p.opts.InsecurePublic)
		if len(checked) > 0 {
			if reason := policy.CheckAnswers(checked, own); reason != "" {
				return refuse(RulePrivateAnswer, reason, settingHosts)
			}
		}
		r.addrs = addrs
	}
	return r, nil
}

// appAddrs is the addresses of the app's name. The first answer holds for good:
// otherwise whoever answers for the name could point the exception elsewhere.
func (p *Proxy) appAddrs(ctx context.Context, name string) ([]netip.Addr, error) {
	p.mu.Lock()
	addrs := p.pinned
	p.mu.Unlock()
	if addrs != nil {
		return addrs, nil
	}
	addrs, err := p.cache.lookup(ctx, name)
	if err != nil && (name == "localhost" || strings.HasSuffix(name, ".localhost")) && ctx.Err() == nil {
		// Such names are this machine, whether or not a hosts file says so.
		addrs, err = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pinned == nil {
		p.pinned = addrs
	}
	return p.pinned, nil
}

var errNotJudged = errors.New("address was not judged")

// dial connects to one of the route's addresses: the first that answers, each
// with a head start over the next, families in turn.
func (p *Proxy) dial(ctx context.Context, r route) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limits.Connect)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)() // the transport's contexts outlive requests
	dialer := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true},
		Control: func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || ap.Port() != r.to.Port || !p.mayDial(ap.Addr(), r) {
				return errNotJudged
			}
			return nil
		},
	}
	type result struct {
		conn net.Conn
		err  error
	}
	queue := interleave(r.addrs)
	results := make(chan result, len(queue)) // so that nobody waits to report
	started, failed := 0, 0
	var first error
	next := time.NewTimer(0)
	defer next.Stop()
	for failed < len(queue) {
		select {
		case <-next.C:
			addr := netip.AddrPortFrom(queue[started], r.to.Port).String()
			go func() {
				conn, err := dialer.DialContext(ctx, "tcp", addr)
				results <- result{conn, err}
			}()
			started++
			if started < len(queue) {
				next.Reset(fallbackDelay)
			}
		case res := <-results:
			if res.err != nil {
				failed++
				if first == nil {
					first = res.err
				}
				if started < len(queue) {
					next.Reset(0)
				}
				continue
			}
			// Stop the slower ones, and wait for them: one may have connected too.
			cancel()
			for range started - failed - 1 {
				if late := <-results; late.conn != nil {
					_ = late.conn.Close()
				}
			}
			return p.track(res.conn, &p.stats.bytesDown, &p.stats.bytesUp), nil
		}
	}
	if first == nil {
		first = errNoAnswer
	}
	return nil, first
}

// mayDial is the last look at an address, when its socket exists already.
func (p *Proxy) mayDial(addr netip.Addr, r route) bool {
	addr = addr.Unmap()
	if !slices.Contains(r.addrs, addr) || p.fence != nil && !p.fence(addr) {
		return false
	}
	return r.to.App || p.opts.InsecurePublic(addr) || policy.Classify(addr, p.opts.OwnAddrs()).Public()
}

// interleave gives at most maxDialled addresses, families alternating, beginning
// with the family of the first.
func interleave(addrs []netip.Addr) []netip.Addr {
	if len(addrs) == 0 {
		return nil
	}
	var same, other []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			same = append(same, a)
		} else {
			other = append(other, a)
		}
	}
	var out []netip.Addr
	for i := range max(len(same), len(other)) {
		if i < len(same) {
			out = append(out, same[i])
		}
		if i < len(other) {
			out = append(out, other[i])
		}
	}
	return out[:min(len(out), maxDialled)]
}
