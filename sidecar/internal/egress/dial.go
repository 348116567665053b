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
	r := route{to: d, addrs: d.Addrs}
	refuse := func(rule Rule, reason policy.Reason, setting string) (route, *Refusal) {
		return route{}, refusalOf(pl, rule, reason, setting)
	}
	addr, literal := policy.Literal(d.Host)
	switch {
	case d.Refused == policy.ReasonPrivate && literal && p.opts.InsecurePublic(addr):
		r.addrs = []netip.Addr{addr}
	case d.Refused != "":
		return refuse(ruleOf(d.Refused), d.Refused, d.Setting)
	case d.TLS && !tunnel:
		// What is said of this port is said of an https origin, and this is another.
		return refuse(RuleAppScheme, reasonAppScheme, "")
	case !d.Listed && policy.JudgePort(d.Port) == policy.ReasonService:
		return refuse(RulePort, policy.ReasonService, policy.SettingHosts)
	case !d.Listed && policy.JudgePort(d.Port) != "":
		return refuse(RulePort, policy.JudgePort(d.Port), "")
	case d.Name != "":
		addrs, reason, setting := p.resolve(ctx, d, own)
		if reason != "" {
			return refuse(ruleOf(reason), reason, setting)
		}
		r.addrs = addrs
	}
	return r, nil
}

// resolve gives the judged addresses of d's name.
func (p *Proxy) resolve(ctx context.Context, d policy.Destination, own []netip.Addr) (addrs []netip.Addr, refused policy.Reason, setting string) {
	if d.Pinned() {
		p.mu.Lock()
		addrs = p.pinned[d.Name]
		p.mu.Unlock()
	}
	if addrs != nil {
		return addrs, "", ""
	}
	addrs, err := p.cache.lookup(ctx, d.Name)
	if err != nil && d.App && (d.Name == "localhost" || strings.HasSuffix(d.Name, ".localhost")) && ctx.Err() == nil {
		// Such names are this machine, whether or not a hosts file says so.
		addrs, err = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if err != nil {
		return nil, policy.ReasonUnresolved, ""
	}
	checked := slices.DeleteFunc(slices.Clone(addrs), p.opts.InsecurePublic)
	if len(checked) > 0 {
		if refused, setting = d.Judge(checked, own); refused != "" {
			return nil, refused, setting
		}
	}
	if !d.Pinned() {
		return addrs, "", ""
	}
	// The first answer holds for good: otherwise whoever answers for the name could
	// point the exception elsewhere.
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pinned[d.Name] == nil {
		p.pinned[d.Name] = addrs
	}
	return p.pinned[d.Name], "", ""
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
	return p.opts.InsecurePublic(addr) || r.to.MayDial(addr, p.opts.OwnAddrs())
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
