package chrome

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// Options is all that a launch needs to know.
type Options struct {
	Binary Binary
	User   *User      // nil: the sidecar's own user
	Mode   proto.Mode // "" means headless
	Window proto.Viewport
	// Profile is the absolute path of an existing directory, owned by User.
	// Home and Tmp lie in it; "" means its subdirectories "home" and "tmp".
	// None of them needs to exist before Start.
	Profile, Home, Tmp string
	Log                *slog.Logger // nil means silent
	// TrustedKey is as in Config.
	TrustedKey string
	// DangerouslyNoSandbox turns Chromium's own sandbox off.
	DangerouslyNoSandbox bool
	// DangerouslyShareNetwork leaves Chromium in the sidecar's network
	// namespace, where other local processes can reach the egress proxy.
	DangerouslyShareNetwork bool
}

// Seat is a place where one Chromium can run: a thread that will be its parent,
// a network, and the listener through which alone it gets out.
type Seat struct {
	opts     Options
	display  display
	listener net.Listener
	private  bool
	reason   string
	pipes    pipes
	orders   chan order
	answers  chan error
	over     chan struct{}
	once     sync.Once
}

// order is what the keeper of a seat starts.
type order struct {
	path      string
	args, env []string
	dir       string
	user      *User
	process   *Process
}

// place is one way to give Chromium a network. Its methods run one after
// another on the keeper's thread.
type place interface {
	// open makes the network and returns the proxy's listener in it.
	open(ctx context.Context, p *pipes) (net.Listener, error)
	// start returns when the process executes order.path, or why it can't.
	start(o order, p *pipes) (*os.Process, error)
	// close undoes open when there will be no start.
	close()
}

// firstForeign is the first descriptor after the standard ones.
const firstForeign = 3

// Prepare makes a seat: a private network where the system allows it, the
// sidecar's own where not. It starts no browser and touches no directory.
func Prepare(ctx context.Context, opts Options) (*Seat, error) {
	if opts.User == nil {
		opts.User = &User{UID: os.Geteuid(), GID: os.Getegid()}
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Home == "" {
		opts.Home = filepath.Join(opts.Profile, "home")
	}
	if opts.Tmp == "" {
		opts.Tmp = filepath.Join(opts.Profile, "tmp")
	}
	proc.Seal(firstForeign)
	screen := displayOf(os.Getenv)
	if opts.Mode == proto.Headed && runtime.GOOS == "linux" && screen.none() {
		return nil, &proto.Error{
			Code:    proto.CodeBrowserUnsuitable,
			Message: "headed mode needs a display and there is none",
			Hint:    displayHint,
		}
	}
	var why []string
	list := places(opts.User)
	switch {
	case opts.DangerouslyShareNetwork:
		why, list = []string{"switched off"}, nil
	case opts.Mode == proto.Headed && screen.remote():
		why, list = []string{"the display is reached over the network"}, nil
	}
	for _, pl := range list {
		seat, err := open(ctx, opts, screen, pl)
		if err == nil {
			seat.private = true
			return seat, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("prepare Chromium's network: %w", ctx.Err())
		}
		why = append(why, err.Error())
	}
	seat, err := open(ctx, opts, screen, sharedNetwork{})
	if err != nil {
		e := &proto.Error{Code: proto.CodeListenFailed, Message: "the egress proxy can't listen: " + err.Error(), Err: err}
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			e.Hint = FilesHint
		}
		return nil, e
	}
	seat.reason = strings.Join(append(why, lacking), "; ")
	seat.reason = strings.TrimSuffix(seat.reason, "; ")
	return seat, nil
}

// open starts a seat's keeper in one place and waits until it stands.
func open(ctx context.Context, opts Options, screen display, pl place) (*Seat, error) {
	p, err := newPipes()
	if err != nil {
		return nil, err
	}
	s := &Seat{
		opts:    opts,
		display: screen,
		pipes:   p,
		orders:  make(chan order),
		answers: make(chan error),
		over:    make(chan struct{}),
	}
	go s.keep(ctx, pl)
	if err := <-s.answers; err != nil {
		<-s.over
		return nil, err
	}
	return s, nil
}

// keep is the seat's keeper. It stays on one thread from the network's
// creation to the browser's end: the thread may be in another network than the
// rest of the sidecar, and the browser dies with the thread that started it.
// The thread is never unlocked, so it ends here and is used for nothing else.
func (s *Seat) keep(ctx context.Context, pl place) {
	runtime.LockOSThread()
	defer close(s.over)
	defer s.pipes.closeTheirs()
	var err error
	if s.listener, err = pl.open(ctx, &s.pipes); err != nil {
		s.pipes.closeOurs()
		s.answers <- err
		return
	}
	s.answers <- nil
	o, ok := <-s.orders
	if !ok {
		pl.close()
		s.pipes.closeOurs()
		return
	}
	child, err := pl.start(o, &s.pipes)
	if err != nil {
		s.pipes.closeOurs()
		s.answers <- err
		return
	}
	s.pipes.closeTheirs()
	o.process.begin(child, &s.pipes)
	s.answers <- nil
	o.process.attend(child)
}

// Listener is where the egress proxy accepts Chromium's connections. Close it
// after the browser's end.
func (s *Seat) Listener() net.Listener { return s.listener }

// PrivateNetwork reports whether Chromium has a network namespace of its own,
// in which nothing but this listener can be reached and which no other local
// process is in; if not, why not.
func (s *Seat) PrivateNetwork() (yes bool, reason string) { return s.private, s.reason }

// Start starts Chromium with the egress proxy at proxyAddr, which is the
// listener's address as host:port. A seat is good for one start, whatever its
// outcome; after a failed one nothing is left. The error is a *proto.Error.
//
// Start returns when Chromium executes, before it answers. A browser that
// can't run ends soon after: [Process.Explain] turns the failure of the first
// command into the reason.
func (s *Seat) Start(ctx context.Context, proxyAddr string) (*Process, error) {
	p, err := s.start(ctx, proxyAddr)
	if err != nil {
		s.Close()
		return nil, err
	}
	return p, nil
}

func (s *Seat) start(ctx context.Context, proxyAddr string) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := s.opts
	if o.Binary.Flavour == Full {
		if err := writePreferences(o.Profile, o.User); err != nil {
			return nil, &proto.Error{Code: proto.CodeWorkdirUnusable, Message: err.Error()}
		}
	}
	screen := s.display
	if o.Mode == proto.Headed && o.User.Dedicated && screen.authority != "" {
		cookie, err := lendAuthority(screen.authority, o.Home, o.User)
		if err != nil {
			o.Log.Warn("the display's authority file can't be given to Chromium", "error", err)
		}
		screen.authority = cookie
	}
	args := Args(Config{
		Flavour:              o.Binary.Flavour,
		Mode:                 o.Mode,
		Profile:              o.Profile,
		ProxyAddr:            proxyAddr,
		Window:               o.Window,
		TrustedKey:           o.TrustedKey,
		DangerouslyNoSandbox: o.DangerouslyNoSandbox,
		SmallShm:             smallShm(),
	})
	p := newProcess(o, args)
	var failed error
	s.once.Do(func() {
		failed = errors.New("the seat gave no answer")
		s.orders <- order{
			path:    o.Binary.Path,
			args:    args,
			env:     environ(o.Mode, o.Home, shortTmp(o.Profile, o.Tmp), screen),
			dir:     o.Profile,
			user:    o.User,
			process: p,
		}
		failed = <-s.answers
		close(s.orders)
		p.private = s.private
	})
	if p.PID() == 0 && failed == nil {
		failed = errors.New("the seat is used up")
	}
	if failed != nil {
		<-s.over
		return nil, startError(o.Binary.Path, o.User, failed)
	}
	return p, nil
}

// Close gives up a seat that was not started and closes its listener. After a
// start it closes the listener alone. It may be called more than once.
func (s *Seat) Close() error {
	s.once.Do(func() {
		close(s.orders)
		<-s.over
	})
	err := s.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// lendAuthority copies the X server's authority file to where the browser's
// user can read it and returns the copy's path.
func lendAuthority(from, home string, user *User) (string, error) {
	cookie, err := os.ReadFile(from)
	if err != nil {
		return "", fmt.Errorf("lend display: %w", err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", fmt.Errorf("lend display: %w", err)
	}
	defer root.Close()
	const name = ".Xauthority"
	if err := root.WriteFile(name, cookie, 0o600); err != nil {
		return "", fmt.Errorf("lend display: %w", err)
	}
	if err := root.Lchown(name, user.UID, user.GID); err != nil {
		return "", fmt.Errorf("lend display: %w", err)
	}
	return filepath.Join(home, name), nil
}

// pipes are the three pipes between the sidecar and its Chromium.
type pipes struct {
	commands, events, output struct{ r, w *os.File }
}

func newPipes() (pipes, error) {
	var p pipes
	var err error
	for _, pipe := range []*struct{ r, w *os.File }{&p.commands, &p.events, &p.output} {
		if pipe.r, pipe.w, err = os.Pipe(); err != nil {
			p.closeOurs()
			p.closeTheirs()
			return p, fmt.Errorf("make pipes: %w", err)
		}
	}
	return p, nil
}

// closeTheirs closes the ends that belong to Chromium.
func (p *pipes) closeTheirs() { closeAll(p.commands.r, p.events.w, p.output.w) }

// closeOurs closes the sidecar's ends.
func (p *pipes) closeOurs() { closeAll(p.commands.w, p.events.r, p.output.r) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
