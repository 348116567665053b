package hostapi

import (
	"context"
	"net/http"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Sandbox is a place where an app runs, as the host knows it.
type Sandbox struct {
	ID    string
	Owner string // the account that it belongs to and is metered to
	Title string // for people; "": its ID

	AppURL    string    // where the app answers; the only origin that a browser opens
	Ready     bool      // the app is up: a browser may start
	ExpiresAt time.Time // zero: never

	// Project groups the sandboxes that share a saved sign-in; "" is the
	// sandbox alone.
	Project string
}

// Sandboxes is the host's store of sandboxes. Everything is asked about an
// owner: a sandbox of somebody else is not found. Default: a
// [MemorySandboxes].
type Sandboxes interface {
	// Sandbox returns one sandbox of the owner, or an error that is
	// [proto.CodeSandboxUnknown].
	Sandbox(ctx context.Context, owner, id string) (Sandbox, error)

	// List returns the owner's sandboxes, in the order in which to show them.
	List(ctx context.Context, owner string) ([]Sandbox, error)

	// Delete removes a sandbox. Its browser has stopped by then, and its last
	// events have reached the recording.
	Delete(ctx context.Context, owner, id string) error
}

// Identity is who makes a request.
type Identity struct {
	Owner string // the account whose sandboxes they see
	User  string // the host's id of the person, or of the agent's credential
	Name  string // what other viewers read, such as "Ada"
}

// Authenticator says who makes a request. An error refuses it with 401, or
// with 403 where it is [proto.CodePermissionDenied]. It guards every route,
// /mcp as well, so an agent holds a credential of the host and never a
// browser's token. Default: [LoopbackUser].
type Authenticator interface {
	Authenticate(r *http.Request) (Identity, error)
}

// Action is what a person wants to do beyond looking.
type Action string

// TakeOverBrowser is asked for each control ticket.
const TakeOverBrowser Action = "take_over_browser"

// Permissions says whether somebody may do something with a sandbox. It is
// asked each time; nothing is remembered. Default: everybody may.
type Permissions interface {
	Allowed(ctx context.Context, who Identity, action Action, subject Sandbox) (bool, error)
}

// BrowserMinutes is the kind that quotas and usage are about.
const BrowserMinutes = "browser_minutes"

// Quota says whether an owner may use more of a kind. denial nil allows it.
// Any other value refuses with 402 and is the answer's body: a string as
// {"error": …}, anything else as its own JSON. Default: no limit.
type Quota interface {
	Check(ctx context.Context, owner, kind string) (denial any, err error)
}

// Usage is something used up.
type Usage struct {
	Owner    string
	Kind     string // [BrowserMinutes]
	Quantity int    // minutes, rounded up
	Sandbox  string
	Session  string // the browser's; a recorder that sees one twice drops the second
}

// UsageRecorder is told what was used: once when a browser has stopped,
// whatever stopped it. A recorder that fails is told again at the next
// [Host.Reap] until it takes it, also after a restart of the host where the
// [Journal] outlives one. Default: a [MemoryUsage].
type UsageRecorder interface {
	Record(ctx context.Context, u Usage) error
}

// Recordings keeps what browsers show. Default: nothing is recorded.
type Recordings interface {
	// Open begins a recording for a browser that is about to start, and says
	// where its events go. nil records nothing. An error refuses the start.
	Open(ctx context.Context, sandbox Sandbox, session string) (*proto.Recording, error)

	// Complete ends it: the browser has stopped and sends no more.
	Complete(ctx context.Context, sandbox Sandbox, session string) error
}

// FilmKeeper is what [Recordings] are that keep films too: what they open with
// Video is filmed.
type FilmKeeper interface {
	// FilmsDir is the directory for the films of a session; it is made where
	// there is none. All of them are there when the session is completed.
	FilmsDir(sandbox Sandbox, session string) string
}

// Clock tells the time by which sandboxes expire and minutes are counted.
// Default: the system's.
type Clock interface {
	Now() time.Time
}

// SignIns keeps saved sign-ins, sealed: what is handed over is ciphertext that
// only this host's key opens. Default: a [MemorySignIns].
type SignIns interface {
	// Load returns what was last saved for the owner's project; nil when there
	// is nothing.
	Load(ctx context.Context, owner, project string) ([]byte, error)
	// Save replaces it. nil deletes it.
	Save(ctx context.Context, owner, project string, sealed []byte) error
}
