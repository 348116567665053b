package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/livepage"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/egress"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/httpd"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/mcp"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
	"github.com/pillion-browser/pillion/sidecar/internal/record"
	"github.com/pillion-browser/pillion/sidecar/internal/record/film"
	"github.com/pillion-browser/pillion/sidecar/internal/redact"
	"github.com/pillion-browser/pillion/sidecar/internal/tools"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// startTimeout bounds a start. Hosts wait 60 s for the ready line; a start that
// fails must say so before.
const startTimeout = 45 * time.Second

// session is one run of the sidecar: everything that a start makes, in the
// order in which it is made. A field is nil until its step is done, so that the
// stop undoes just what there is.
type session struct {
	launch proto.Launch
	log    *slog.Logger
	out    *output
	events *event.Stream

	app     policy.App
	user    *chrome.User
	dirs    *janitor.Session
	seat    *chrome.Seat
	proxy   *egress.Proxy
	process *chrome.Process
	conn    *cdp.Conn
	browser *browser.Browser
	files   *files.Store
	tools   *tools.Kit
	gateway *mcp.Gateway
	server  *httpd.Server
	live    atomic.Pointer[liveView] // nil without a live view

	recorder *record.Recorder // nil where nothing is recorded
	archive  *ownArchive      // nil where the recording goes to a host
	film     *film.Film       // nil where nothing is filmed
	films    string           // directory for films that outlive the session; "" = none
	handover handover         // films that the host has to fetch
	calls    atomic.Int64     // of tools, that ran

	background sync.WaitGroup                  // goroutines that end by themselves in a stop
	serving    sync.WaitGroup                  // the HTTP server's
	gone       chan struct{}                   // closed when Chromium ended
	challenged atomic.Pointer[browser.Browser] // whom the proxy's challenges go to
	stopping   atomic.Bool
	stderr     io.WriteCloser // masks the session's secrets
	exit       func(code int) // of the process, for a stop that hangs
}

func newSession(launch proto.Launch, stdout, stderr io.Writer) *session {
	secrets := []string{launch.Token.Reveal()}
	if launch.Recording != nil {
		secrets = append(secrets, launch.Recording.Token.Reveal())
	}
	masked := redact.NewMasker(secrets...).Writer(stderr)
	return &session{
		launch: launch,
		log:    newLog(masked),
		out:    newOutput(stdout, launch.Lifeline),
		events: &event.Stream{},
		gone:   make(chan struct{}),
		stderr: masked,
		exit:   os.Exit,
	}
}

// start makes everything up to a sidecar that answers, and returns its ready
// line's content.
func (s *session) start(ctx context.Context) (proto.Ready, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var err error
	if s.app, err = policy.For(s.launch); err != nil {
		return proto.Ready{}, err
	}
	binary, err := chrome.Find(ctx, chrome.Want{Mode: s.launch.Mode, Chromium: s.launch.Chromium, Path: s.launch.ChromiumPath})
	if err != nil {
		return proto.Ready{}, err
	}
	if s.user, err = chrome.PickUser(); err != nil {
		return proto.Ready{}, err
	}
	if s.dirs, err = janitor.Open(janitor.Options{
		Workdir: s.launch.Workdir, UID: s.user.UID, GID: s.user.GID, Hold: s.user.Hold(), Log: s.log,
	}); err != nil {
		return proto.Ready{}, err
	}
	if s.files, err = files.Open(files.Options{
		Uploads: s.dirs.Uploads, Output: s.dirs.Output, Profile: s.dirs.Profile, UID: s.user.UID, GID: s.user.GID,
	}); err != nil {
		return proto.Ready{}, err
	}
	if err := s.startRecording(); err != nil {
		return proto.Ready{}, err
	}
	// Tools name files relative to here, as agents of the original expect.
	if err := os.Chdir(s.dirs.Uploads); err != nil {
		return proto.Ready{}, err
	}
	vouch, err := s.vouch()
	if err != nil {
		return proto.Ready{}, err
	}
	trusted := ""
	if vouch != nil {
		trusted = vouch.KeyHash()
	}
	if s.seat, err = chrome.Prepare(ctx, chrome.Options{
		Binary: binary, User: s.user, Mode: s.launch.Mode, Window: s.launch.Viewport,
		Profile: s.dirs.Profile, Home: s.dirs.Home, Tmp: s.dirs.Tmp,
		TrustedKey: trusted, DangerouslyNoSandbox: s.launch.DisableChromiumSandbox, Log: s.log,
	}); err != nil {
		return proto.Ready{}, err
	}
	credentials := egress.Credentials{User: randomSecret(), Password: randomSecret()}
	s.startProxy(credentials, vouch)
	if s.process, err = s.seat.Start(ctx, s.seat.Listener().Addr().String()); err != nil {
		return proto.Ready{}, err
	}
	s.dirs.Watch(s.process.PID())
	if err := s.startBrowser(ctx, credentials); err != nil {
		return proto.Ready{}, s.whyNoBrowser(ctx, err)
	}
	if err := s.process.CheckCommandLine(); err != nil {
		return proto.Ready{}, err
	}
	port, err := s.startServer()
	if err != nil {
		return proto.Ready{}, err
	}
	private, why := s.seat.PrivateNetwork()
	if !private {
		s.log.Warn("Chromium shares this machine's network; its switches and the egress proxy alone stand between", "why", why)
	}
	return proto.Ready{
		LiveURL: s.liveURL(port),
		Port:    port, Version: proto.Version, PID: os.Getpid(), MCPURL: "http://" + reachable(s.launch.Host, port) + "/mcp",
		Chromium: proto.Chromium{Path: binary.Path, Version: s.browser.Version(), Flavour: binary.Flavour},
		Features: proto.Features{
			Sandbox: !s.launch.DisableChromiumSandbox, PrivateNetwork: private,
			UnprivilegedUser: s.user.Dedicated, Janitor: s.dirs.Watched(),
		},
	}, nil
}

// whyNoBrowser turns the failure of the first conversation with Chromium into
// its reason.
func (s *session) whyNoBrowser(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStopRequested) {
		return err // nobody asks
	}
	e := *asError(s.process.Explain(err))
	if e.Code == proto.CodeInternal && cdp.IsGone(err) {
		e.Code, e.Message = proto.CodeBrowserUnsuitable, "the program does not answer as Chromium does: "+e.Message
	}
	if e.Hint == "" && s.launch.ChromiumPath != "" {
		e.Hint = "Check that chromium_path names Chromium itself"
	}
	return &e
}

// randomSecret is 256 bits that nobody else knows.
func randomSecret() proto.Secret { return proto.NewSecret(rand.Text() + rand.Text()) }

// reachable is the address under which this machine's programs find a listener
// of host.
func reachable(host string, port int) string {
	switch host {
	case "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// vouch lets the app have a certificate of its own, where the launch says so; nil
// where it does not.
func (s *session) vouch() (*egress.Voucher, error) {
	if !s.launch.IgnoreHTTPSErrors && s.launch.AppCA == "" {
		return nil, nil
	}
	return egress.NewVoucher(proto.ParseCertificates(s.launch.AppCA))
}

func (s *session) startProxy(credentials egress.Credentials, vouch *egress.Voucher) {
	var mayConnect func(remote, local net.Addr) bool
	if private, _ := s.seat.PrivateNetwork(); !private {
		// Everybody on this machine can reach the listener.
		mayConnect = egress.OwnedBy(s.user.UID)
	}
	s.proxy = egress.New(egress.Options{
		App: s.app, Credentials: credentials, PeerAllowed: mayConnect, RefuseWebRTC: true, OwnAddrs: ownAddrs, Vouch: vouch, Log: s.log,
		OnCredentials: func(known bool) {
			if b := s.challenged.Load(); b != nil {
				b.ExpectChallenge(!known)
			}
		},
		OnRefusal: func(r egress.Refusal) {
			s.events.Publish(r.Record().Event(0))
		},
	})
	s.background.Go(func() {
		if err := s.proxy.Serve(s.seat.Listener()); err != nil {
			s.log.Warn("the egress proxy ended", "error", err)
		}
	})
}

// ownAddrs are this machine's own addresses: a service that is bound to all of
// them is as private as one on loopback.
func ownAddrs() []netip.Addr {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var own []netip.Addr
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				own = append(own, ip.Unmap())
			}
		}
	}
	return own
}

func (s *session) startBrowser(ctx context.Context, credentials egress.Credentials) error {
	s.conn = cdp.New(s.process.Transport())
	s.background.Go(func() {
		<-s.conn.Done()
		close(s.gone)
	})
	o := browser.Options{
		Conn: s.conn, Pin: s.app, Viewport: s.launch.Viewport, Events: s.events, Log: s.log,
		ProxyUser: credentials.User, ProxyPassword: credentials.Password, Script: page.Script(),
	}
	s.recordPages(&o)
	b, err := browser.Start(ctx, o)
	if err != nil {
		return err
	}
	s.browser = b
	s.challenged.Store(b)
	if err := b.ApplyStorageState(ctx, s.launch.StorageState); err != nil {
		return err
	}
	s.startLive()
	s.tools, err = tools.New(tools.Options{
		Desk: s.desk(), Browser: b, Files: s.files, Capabilities: s.launch.Capabilities, Events: s.events, Log: s.log,
		Snapshot: s.launch.Snapshot, SnapshotMaxChars: s.launch.SnapshotMaxChars, ScreenshotMaxEdge: s.launch.ScreenshotMaxEdge,
	})
	if err != nil {
		return err
	}
	s.background.Go(func() {
		// Until the browser's end.
		if err := s.tools.StoreDownloads(context.Background()); err != nil {
			s.log.Warn("downloads are refused", "error", err)
		}
	})
	return nil
}

func (s *session) startServer() (port int, err error) {
	forAgents := mcp.Options{
		Version: proto.Version, Log: s.log, Resolve: s.resolve,
		NewToolset: func(mcp.ClientInfo) mcp.Toolset { return s.tools.NewSet() },
		Ended:      s.ended,
	}
	listen := httpd.Options{
		Host: s.launch.Host, Port: s.launch.Port, AllowedHosts: s.launch.AllowedHosts, Token: s.launch.Token,
		Version: proto.Version, StorageState: s.storageState,
		Artifacts: s.files.Artifact, Sent: s.handover.fetched, Log: s.log,
	}
	if v := s.live.Load(); v != nil {
		forAgents.Gate = v.hub.Lease()
		listen.Live, listen.LiveOrigins = v.hub, s.launch.Live.Origins
		if s.launch.Live.Viewer {
			listen.Page = livepage.New(livepage.Options{Socket: "/live", Session: s.launch.Live.SessionID})
		}
	}
	s.recordCalls(&forAgents)
	s.countCalls(&forAgents)
	s.serveMetrics(&forAgents, &listen)
	s.gateway = mcp.New(forAgents)
	listen.MCP = s.gateway
	s.server = httpd.New(listen)
	if port, err = s.server.Listen(); err != nil {
		return 0, err
	}
	s.serving.Go(func() {
		if err := s.server.Serve(); err != nil {
			s.log.Warn("the HTTP server ended", "error", err)
		}
	})
	return port, nil
}

// resolve is where an agent or a person may go who asks for a URL. What is refused
// is told as what pages are refused.
func (s *session) resolve(raw string) (href string, refusal *proto.Error) {
	if href, refusal = s.app.Target(raw); refusal != nil {
		r := browser.Escape{Origin: policy.OriginOf(raw), Setting: s.app.Widening(raw)}.Refusal()
		r.Log(s.log)
		s.events.Publish(r.Event(0))
	}
	return href, refusal
}

// ended tells agents that their browser is gone.
func (s *session) ended() error {
	if s.stopping.Load() || s.browser.Err() == nil {
		return nil
	}
	return errBrowserEnded
}

// storageState is the sign-in of the app, as it can be given to a later start.
func (s *session) storageState(ctx context.Context) (proto.StorageState, error) {
	st, err := s.browser.StorageState(ctx, s.app.Origin())
	if err != nil {
		return proto.StorageState{}, err
	}
	return st.Filter(s.app.Host(), s.app.Origin()), nil
}
