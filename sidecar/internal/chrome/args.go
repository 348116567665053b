package chrome

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// Config is everything that the command line depends on.
type Config struct {
	Flavour string     // Shell or Full
	Mode    proto.Mode // "" means headless
	Profile string     // absolute path of the profile directory
	// ProxyAddr is the egress proxy as host:port, a literal loopback address.
	ProxyAddr string
	Window    proto.Viewport // CSS pixels; zero means 1280 x 800
	// TrustedKey is the base64 of the SHA-256 of a public key whose certificates
	// Chromium takes for any host; "" = none. Whoever has the key must see to what
	// it is used for.
	TrustedKey string
	// DangerouslyNoSandbox runs every page without Chromium's own sandbox.
	DangerouslyNoSandbox bool
	// SmallShm says that /dev/shm is too small for Chromium's shared memory.
	SmallShm bool
}

// The window when the configuration names none.
const (
	defaultWidth  = 1280
	defaultHeight = 800
)

// noPrefetch holds speculation-rules prefetches in a queue that lets none out.
// Chromium's browser process makes them where neither request interception
// nor, in the headless shell, a preference reaches.
const noPrefetch = "PrefetchSchedulerTesting:" +
	"kPrefetchSchedulerTestingActiveSetSizeLimitForBase/0/" +
	"kPrefetchSchedulerTestingActiveSetSizeLimitForBurst/0"

// featuresOff are Chromium's features that a session does without.
var featuresOff = [...]string{
	"HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", // would rewrite an http app
	"ServiceWorkerAutoPreload", // lets navigations escape interception
	"Prerender2", "Prerender2InHeadlessMode", "Prerender2FallbackPrefetchSpecRules",
	"MediaRouter", "DialMediaRouteProvider", // look for devices on the network
	"OptimizationHints", "AutofillServerCommunication", "Translate", // phone home
	"WebRtcHideLocalIpsWithMdns", // joins the link's multicast group; no local address is gathered anyway
	"PaintHolding",               // would show the old page for a while
	// A renderer in reserve is 7 MiB, and a start is a tenth longer for it. An app's
	// pages stay in the one that they have; a new tab waits for its own no longer.
	"SpareRendererForSitePerProcess",
}

// trustedKeySwitch makes Chromium take the certificates of one key.
const trustedKeySwitch = "ignore-certificate-errors-spki-list"

// startPage is the page of the first tab, which asks nobody for anything.
const startPage = "about:blank"

// webrtcPolicy keeps WebRTC off UDP.
const webrtcPolicy = "disable_non_proxied_udp"

// Args returns Chromium's command line without the executable. It is pure. One
// list serves both flavours: each ignores what it does not know, and the
// switches that one of them needs are harmless in the other.
func Args(c Config) []string {
	host, _, _ := strings.Cut(c.ProxyAddr, ":")
	width, height := c.Window.Width, c.Window.Height
	if width <= 0 || height <= 0 {
		width, height = defaultWidth, defaultHeight
	}
	var args []string
	if c.Mode != proto.Headed {
		if c.Flavour == Full {
			args = append(args, "--headless=new")
		}
		args = append(args,
			"--hide-scrollbars",
			"--mute-audio",
			// A machine without a mouse would make pages hide their hover menus.
			"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
		)
	}
	args = append(args,
		"--remote-debugging-pipe",
		"--user-data-dir="+c.Profile,

		// The only way out, loopback included.
		"--proxy-server=http://"+c.ProxyAddr,
		"--proxy-bypass-list=<-loopback>",
		// The shell knows only the first spelling, full Chromium only the second.
		"--force-webrtc-ip-handling-policy="+webrtcPolicy,
		"--webrtc-ip-handling-policy="+webrtcPolicy,
		// The proxy resolves names. Chromium would ask for those of STUN and
		// TURN servers itself; and for those of peers under .local it would ask
		// the whole link, with whatever they are mapped to unless that is an
		// address.
		"--host-resolver-rules=MAP *.local 0.0.0.0 , MAP * ~NOTFOUND , EXCLUDE "+host,
		"--disable-quic",
		"--dns-prefetch-disable",

		// Off by default in the shell: cross-site frames get processes and
		// targets of their own.
		"--site-per-process",
		// A page from that cache would come back without being intercepted.
		"--disable-back-forward-cache",

		// No talk of the browser's own.
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-client-side-phishing-detection",
		"--disable-extensions",
		"--disable-component-extensions-with-background-pages",
		"--no-pings",
		"--metrics-recording-only",
		"--no-service-autorun",
		// Full Chromium asks for accounts to sign in with, as a page would: with the
		// proxy's credentials. Nobody listens there, and nobody may.
		"--gaia-url=http://127.0.0.1:9",

		// No questions to a person.
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-search-engine-choice-screen",
		"--disable-popup-blocking",
		"--disable-prompt-on-repost",
		"--disable-hang-monitor",
		"--password-store=basic",
		"--use-mock-keychain",

		// Background tabs work on: an agent has no foreground.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",

		// A key or a wheel scrolls at once: what is looked at next is where it went.
		"--disable-smooth-scrolling",

		// Without it the shell sends no Accept-Language header at all.
		"--accept-lang=en-US,en",
		"--window-size="+strconv.Itoa(width)+","+strconv.Itoa(height),
	)
	if c.SmallShm {
		args = append(args, "--disable-dev-shm-usage")
	}
	if c.TrustedKey != "" {
		args = append(args, "--"+trustedKeySwitch+"="+c.TrustedKey)
	}
	if c.DangerouslyNoSandbox {
		args = append(args, "--no-sandbox")
	}
	return append(args,
		// One of each: a second one would replace the first.
		"--enable-features="+noPrefetch,
		"--disable-features="+strings.Join(featuresOff[:], ","),
		startPage,
	)
}

// forbidden are switches that take a wall away. None may stand on the command
// line of any process of the browser.
var forbidden = [...]string{
	"no-sandbox", "disable-seccomp-filter-sandbox", "disable-namespace-sandbox",
	"single-process", "in-process-gpu",
	"disable-web-security", "disable-site-isolation-trials",
	"ignore-certificate-errors", trustedKeySwitch, "allow-running-insecure-content",
	"remote-debugging-port", "remote-debugging-address", "remote-debugging-socket-name", "remote-allow-origins",
	"load-extension", "no-proxy-server", "proxy-pac-url", "proxy-auto-detect", "host-rules",
}

// loadBearing are switches that hold a wall up. Each must stand on the
// browser's own command line once, with our value.
var loadBearing = [...]string{
	"remote-debugging-pipe", "user-data-dir", "proxy-server", "proxy-bypass-list",
	"force-webrtc-ip-handling-policy", "webrtc-ip-handling-policy", "host-resolver-rules",
	"site-per-process", "disable-quic", "disable-extensions", "enable-features", "disable-features",
}

// switches cuts a command line into name and value of each switch, in order.
// Chromium's processes rewrite their command lines with spaces in place of the
// bounds, and some of our values hold spaces, so whatever follows a switch up
// to the next one is its value.
func switches(line []string) (list [][2]string) {
	text := strings.TrimSuffix(strings.Join(line, " "), " "+startPage)
	for i, piece := range strings.Split(text, " --") {
		if i == 0 {
			// The executable, or a first switch without one.
			rest, ok := strings.CutPrefix(piece, "--")
			if !ok {
				continue
			}
			piece = rest
		}
		name, value, _ := strings.Cut(piece, "=")
		list = append(list, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return list
}

// judgeBrowser compares the browser's running command line with the one that
// was meant and returns what is wrong with it.
func judgeBrowser(running, meant []string) error {
	values := make(map[string][]string)
	for _, s := range switches(running) {
		values[s[0]] = append(values[s[0]], s[1])
	}
	for _, s := range switches(meant) {
		name, value := s[0], s[1]
		if !slices.Contains(loadBearing[:], name) {
			continue
		}
		switch got := values[name]; {
		case len(got) == 0:
			return fmt.Errorf("switch --%s is missing", name)
		case len(got) > 1:
			return fmt.Errorf("switch --%s stands there %d times", name, len(got))
		case got[0] != value:
			return fmt.Errorf("switch --%s is %q instead of %q", name, got[0], value)
		}
	}
	return nil
}

// judgeAny looks for forbidden switches on the command line of any process, but
// for those that the session was asked to have.
func judgeAny(running []string, sandboxOff bool, trustedKey string) error {
	for _, s := range switches(running) {
		if s[0] == "no-sandbox" && sandboxOff || s[0] == trustedKeySwitch && trustedKey != "" && s[1] == trustedKey {
			continue
		}
		if slices.Contains(forbidden[:], s[0]) {
			return fmt.Errorf("switch --%s stands there", s[0])
		}
	}
	return nil
}
