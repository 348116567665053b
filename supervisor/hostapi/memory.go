package hostapi

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// MemorySandboxes is a store of sandboxes in memory. The zero value is empty
// and ready.
type MemorySandboxes struct {
	mu  sync.Mutex
	all []Sandbox
}

// Put adds a sandbox or replaces the owner's of the same ID.
func (m *MemorySandboxes) Put(s Sandbox) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.index(s.Owner, s.ID); i >= 0 {
		m.all[i] = s
		return
	}
	m.all = append(m.all, s)
}

func (m *MemorySandboxes) index(owner, id string) int {
	return slices.IndexFunc(m.all, func(s Sandbox) bool { return s.Owner == owner && s.ID == id })
}

// Sandbox implements [Sandboxes].
func (m *MemorySandboxes) Sandbox(_ context.Context, owner, id string) (Sandbox, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.index(owner, id); i >= 0 {
		return m.all[i], nil
	}
	return Sandbox{}, UnknownSandbox(id)
}

// List implements [Sandboxes], in the order of the first Put.
func (m *MemorySandboxes) List(_ context.Context, owner string) ([]Sandbox, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var own []Sandbox
	for _, s := range m.all {
		if s.Owner == owner {
			own = append(own, s)
		}
	}
	return own, nil
}

// Delete implements [Sandboxes].
func (m *MemorySandboxes) Delete(_ context.Context, owner, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.index(owner, id)
	if i < 0 {
		return UnknownSandbox(id)
	}
	m.all = slices.Delete(m.all, i, i+1)
	return nil
}

// UnknownSandbox is the error of a store for an id that its owner doesn't have.
func UnknownSandbox(id string) error {
	return &proto.Error{Code: proto.CodeSandboxUnknown, Message: fmt.Sprintf("there is no sandbox %.80q", id)}
}

// LoopbackUser is an authenticator for a host that one person runs for
// themselves: everybody on this machine is that person, everybody else nobody.
// A page elsewhere that points a name of its own at this machine is refused by
// that name, and a proxy that brings strangers here by what it says about them.
type LoopbackUser struct{ Identity Identity }

// Authenticate implements [Authenticator].
func (l LoopbackUser) Authenticate(r *http.Request) (Identity, error) {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || proxied(r.Header) || !isLoopback(peer) || !isLoopback(hostName(r.Host)) {
		return Identity{}, &proto.Error{
			Code:    proto.CodePermissionDenied,
			Message: "this host answers to its own machine alone",
			Hint:    "Give it an Authenticator to let others in",
		}
	}
	return l.Identity, nil
}

// proxied says whether a proxy says anything of itself or of whom it brings. That
// the header is there counts, not what it begins with: a stranger may have sent an
// empty one, and the proxy's word stands behind it.
func proxied(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded-") || name == "Forwarded" || name == "Via" || name == "X-Real-Ip" {
			return true
		}
	}
	return false
}

func hostName(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostPort, "["), "]") // an IPv6 address at the ordinary port
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// MemoryUsage counts what is used in memory. The zero value is ready.
type MemoryUsage struct {
	mu     sync.Mutex
	seen   map[string]bool // by session and kind: the latest
	latest []string        // the keys of seen, the oldest at next once it is full
	next   int
	total  map[[2]string]int // by owner and kind
}

// seenUsage is how many sessions are remembered: a session that is told a second time
// is told again soon, since whoever failed to write it down tries to.
const seenUsage = 4096

// Record implements [UsageRecorder]; a session is counted once.
func (m *MemoryUsage) Record(_ context.Context, u Usage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen, m.total = map[string]bool{}, map[[2]string]int{}
	}
	if key := u.Kind + " " + u.Session; !m.seen[key] {
		m.remember(key)
		m.total[[2]string{u.Owner, u.Kind}] += u.Quantity
	}
	return nil
}

func (m *MemoryUsage) remember(key string) {
	m.seen[key] = true
	if len(m.latest) < seenUsage {
		m.latest = append(m.latest, key)
		return
	}
	delete(m.seen, m.latest[m.next])
	m.latest[m.next] = key
	m.next = (m.next + 1) % seenUsage
}

// Total is what an owner has used of a kind.
func (m *MemoryUsage) Total(owner, kind string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total[[2]string{owner, kind}]
}

// UsageFunc makes a recorder of a function.
type UsageFunc func(ctx context.Context, u Usage) error

// Record implements [UsageRecorder].
func (f UsageFunc) Record(ctx context.Context, u Usage) error { return f(ctx, u) }

// CountOnly makes a recorder of a function that wants to know that something
// was used, and not how much.
func CountOnly(f func(ctx context.Context, owner, kind string) error) UsageRecorder {
	return UsageFunc(func(ctx context.Context, u Usage) error { return f(ctx, u.Owner, u.Kind) })
}

// QuotaFunc makes a quota of a function.
type QuotaFunc func(ctx context.Context, owner, kind string) (denial any, err error)

// Check implements [Quota].
func (f QuotaFunc) Check(ctx context.Context, owner, kind string) (any, error) {
	return f(ctx, owner, kind)
}

// PermissionFunc makes permissions of a function.
type PermissionFunc func(ctx context.Context, who Identity, action Action, subject Sandbox) (bool, error)

// Allowed implements [Permissions].
func (f PermissionFunc) Allowed(ctx context.Context, who Identity, action Action, subject Sandbox) (bool, error) {
	return f(ctx, who, action, subject)
}

// MemorySignIns keeps sealed sign-ins in memory. The zero value is ready.
type MemorySignIns struct {
	mu  sync.Mutex
	all map[[2]string][]byte
}

// Load implements [SignIns].
func (m *MemorySignIns) Load(_ context.Context, owner, project string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.all[[2]string{owner, project}]), nil
}

// Save implements [SignIns].
func (m *MemorySignIns) Save(_ context.Context, owner, project string, sealed []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[[2]string][]byte{}
	}
	if sealed == nil {
		delete(m.all, [2]string{owner, project})
		return nil
	}
	m.all[[2]string{owner, project}] = bytes.Clone(sealed)
	return nil
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }
