package httpd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Times and sizes of the listener.
const (
	// A client on the same machine sends its headers at once; a crowd of slow
	// ones must not hold connections without having shown a token.
	headerTimeout = 10 * time.Second
	// The largest body takes seconds on the slowest link that is of any use.
	requestTimeout = 300 * time.Second
	// An answer may take two minutes after the request was read, and then has
	// to be read itself.
	answerTimeout = requestTimeout + 180*time.Second
	// Clients of the dialect open a connection for each request anyway.
	idleTimeout = 5 * time.Second
	// What a refused request may still take to send its body: it is on its way, or
	// was never meant to come.
	refusedTimeout = time.Second
	// What answers that are already known may take to get out, in a stop.
	flushTimeout = time.Second

	// Request line and headers together. net/http reads 4 KiB more than its
	// setting says.
	headerBytes = 16<<10 - 4<<10
)

// MCP is the handler of /mcp, which may have calls waiting when it stops.
type MCP interface {
	http.Handler
	// Stop lets every waiting call have its answer; new ones are refused.
	Stop(ctx context.Context) error
}

// Options configure a [Server]. Host, Token, Version and MCP are needed.
type Options struct {
	// Host is the address to listen on, a name or a literal without brackets.
	Host string
	// Port to listen on; 0 = the system picks one.
	Port int
	// AllowedHosts are further Host header values, each with its port.
	AllowedHosts []string
	// Token is the bearer token. An empty one lets nobody in.
	Token proto.Secret
	// Version is what /health says.
	Version string
	// MCP serves POST and DELETE of /mcp.
	MCP MCP
	// StorageState exports the browser's sign-in; nil: there is no such route.
	StorageState func(context.Context) (proto.StorageState, error)
	// Artifacts opens one of the session's files by its name, the part of a
	// request's path after /artifacts/; nil: there is no such route. Its error
	// means that there is no such file.
	Artifacts func(name string) (*os.File, error)
	// Sent is told of each of those files of which every byte was sent; nil: nobody
	// is.
	Sent func(name string)
	// Metrics writes what the session counts, in the text format of Prometheus; nil:
	// there is no such route.
	Metrics func() string
	// Live takes over upgrades of /live that passed their guard; nil: there is
	// no live view. It is not waited for in a stop, and closes its own sockets.
	Live http.Handler
	// LiveOrigins are the serialised origins whose pages may watch.
	LiveOrigins []string
	// Page is a page of the sidecar's own at /viewer, which may use the live view;
	// nil: there is none. It is shown to whoever asks for it under a name of this
	// server, so it must hold no secret.
	Page http.Handler
	// Log takes what an operator should see; nil: nothing is logged.
	Log *slog.Logger
}

// Server is the listener. [Server.Listen] opens the port, [Server.Serve]
// answers, [Server.Stop] ends both.
type Server struct {
	opts  Options
	log   *slog.Logger
	http  http.Server
	guard guard // complete after Listen
	crowd *crowd

	listener net.Listener

	mu       sync.Mutex
	handing  bool // only files are given
	stopping bool
	active   int           // requests that have no answer yet
	quiet    chan struct{} // closed when stopping and nothing is active
	served   chan struct{} // closed when Serve has returned; nil before

	stopOnce sync.Once
	stopErr  error
}

// New makes a server. It opens nothing.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: o, log: o.Log, quiet: make(chan struct{})}
	s.crowd = newCrowd(maxCrowd)
	s.http = http.Server{
		Handler:                      http.HandlerFunc(s.handle),
		ConnState:                    s.crowd.follow,
		ConnContext:                  remember,
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  requestTimeout,
		WriteTimeout:                 answerTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               headerBytes,
		DisableGeneralOptionsHandler: true, // OPTIONS * passes the guard too
		Protocols:                    new(http.Protocols),
		// net/http reports what strangers send; that is no news.
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	s.http.Protocols.SetHTTP1(true)
	return s
}

// Listen opens the port and gives its number. Its error is a [proto.Error] with
// [proto.CodeListenFailed].
func (s *Server) Listen() (port int, err error) {
	host := strings.TrimSuffix(strings.TrimPrefix(s.opts.Host, "["), "]")
	address := net.JoinHostPort(host, strconv.Itoa(s.opts.Port))
	s.listener, err = net.Listen("tcp", address)
	if err != nil {
		return 0, listenError(address, err)
	}
	port = s.listener.Addr().(*net.TCPAddr).Port
	s.guard = guard{
		hosts:       acceptedHosts(host, port, s.opts.AllowedHosts),
		liveOrigins: lowered(s.opts.LiveOrigins),
		token:       s.opts.Token,
	}
	if s.opts.Page != nil {
		for _, host := range s.guard.hosts {
			s.guard.liveOrigins = append(s.guard.liveOrigins, "http://"+host)
		}
	}
	return port, nil
}

// listenError says what is wrong with the address.
func listenError(address string, err error) error {
	e := &proto.Error{Code: proto.CodeListenFailed, Err: err}
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && strings.HasSuffix(address, ":0"):
		e.Message = "no free port is left at " + address
		e.Hint = "End programs that hold ports, or widen their range: sysctl net.ipv4.ip_local_port_range."
	case errors.Is(err, syscall.EADDRINUSE):
		e.Message = "the port of " + address + " is taken by another program"
		e.Hint = "Set port to 0 to let the system pick a free one."
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		e.Message = "this machine has no address " + address
		e.Hint = "Set host to 127.0.0.1, or to an address of this machine."
	case errors.Is(err, syscall.EACCES):
		e.Message = "listening on " + address + " is not allowed for this user"
		e.Hint = "Set port to 0, or to one above 1023."
	case errors.As(err, &dns):
		e.Message = "the host of " + address + " does not resolve"
		e.Hint = "Set host to an address of this machine."
	default:
		e.Message = fmt.Sprintf("could not listen on %s: %v", address, err)
	}
	return e
}

// Serve answers requests until [Server.Stop]; it then returns nil. It is called
// once, after Listen.
func (s *Server) Serve() error {
	served := make(chan struct{})
	defer close(served)
	s.mu.Lock()
	s.served = served
	stopping := s.stopping
	s.mu.Unlock()
	if stopping {
		return nil
	}
	err := s.http.Serve(strictListener{s.listener})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil // the listener was closed for it
	}
	return fmt.Errorf("serve: %w", err)
}

// HandOver ends everything but the session's files, which can be fetched until
// [Server.Stop]: the calls of agents have their answers, and every other request is
// refused.
func (s *Server) HandOver(ctx context.Context) error {
	s.mu.Lock()
	s.handing = true
	s.mu.Unlock()
	return s.opts.MCP.Stop(ctx)
}

// refuses says whether a request comes too late.
func (s *Server) refuses(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handing && path != "/mcp" && !strings.HasPrefix(path, artifactsPath)
}

// Stop closes the port, lets the calls of agents have their answers, and cuts
// every connection. ctx bounds it; its end is the error if something was still
// at work. Sockets of the live view are their hub's to close.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { s.stopErr = s.stop(ctx) })
	return s.stopErr
}

func (s *Server) stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	if s.active == 0 {
		close(s.quiet)
	}
	served := s.served
	s.mu.Unlock()
	if s.listener != nil {
		_ = s.listener.Close() // it may be closed: there is nothing to do about it
	}
	err := s.opts.MCP.Stop(ctx)
	s.waitQuiet(ctx, flushTimeout)
	_ = s.http.Close() // as above
	// What was cut ends by itself now: its context has ended.
	if s.waitQuiet(ctx, flushTimeout); served != nil {
		<-served
	}
	return err
}

// waitQuiet waits for the active requests' answers, for so long.
func (s *Server) waitQuiet(ctx context.Context, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.quiet:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// enter counts a request in. Requests on open connections still come in while a
// stop is under way: they are answered, and no longer waited for.
func (s *Server) enter() (counted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.active++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 && s.stopping {
		close(s.quiet)
	}
}
