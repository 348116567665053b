// Asks for a URL in the page in several ways at once (all of them when none is
// named), and waits until the browser has an outcome of each: the answer, an error,
// or none for a while. The words in capitals are put in by the test.
async () => {
	const url = URL_HERE;
	const soon = (p) => Promise.race([p.then((x) => String(x), (e) => 'failed: ' + e), new Promise((ok) => setTimeout(() => ok('nothing yet'), 3000))]);
	const added = (name, set) => new Promise((ok) => { const e = Object.assign(document.createElement(name), set); e.onload = () => ok('loaded'); e.onerror = () => ok('failed'); document.body.append(e); });
	const ways = {
		fetch: () => fetch(url, {mode: 'no-cors'}).then((r) => r.arrayBuffer().then(() => r.type)),
		post: () => fetch(url, {mode: 'no-cors', method: 'POST', body: 'secret'}).then((r) => r.type),
		keepalive: () => fetch(url, {mode: 'no-cors', keepalive: true}).then((r) => r.type),
		xhr: () => new Promise((ok) => { const r = new XMLHttpRequest(); r.open('GET', url); r.onloadend = () => ok(r.status); r.send(); }),
		image: () => added('img', {src: url}),
		script: () => added('script', {src: url}),
		style: () => added('link', {rel: 'stylesheet', href: url}),
		frame: () => added('iframe', {src: url}),
		object: () => added('object', {data: url}),
		video: () => { added('video', {src: url, preload: 'auto'}); return new Promise((ok) => setTimeout(ok, 500)); },
		beacon: () => Promise.resolve(navigator.sendBeacon(url, 'secret')),
		events: () => new Promise((ok) => { const s = new EventSource(url); s.onerror = () => { s.close(); ok('failed'); }; s.onopen = () => ok('open'); }),
		socket: () => new Promise((ok) => { const s = new WebSocket(url.replace(/^http/i, 'ws')); s.onopen = () => ok('open'); s.onclose = () => ok('closed'); }),
		module: () => import(url),
		worker: () => new Promise((ok) => { const code = 'fetch(' + JSON.stringify(url) + ', {mode: "no-cors"}).then((r) => postMessage(r.type), (e) => postMessage("failed"))'; const w = new Worker(URL.createObjectURL(new Blob([code]))); w.onmessage = (e) => ok(e.data); }),
		imported: () => new Promise((ok) => { const w = new Worker(URL.createObjectURL(new Blob(['try { importScripts(' + JSON.stringify(url) + '); postMessage("loaded") } catch (e) { postMessage("failed") }']))); w.onmessage = (e) => ok(e.data); }),
		font: () => new FontFace('x', 'url(' + JSON.stringify(url) + ')').load(),
		ping: () => { const a = document.createElement('a'); a.href = '#pinged'; a.ping = url; document.body.append(a); a.click(); return new Promise((ok) => setTimeout(ok, 300)); },
		redirected: () => fetch('/redirect/307?to=' + encodeURIComponent(url), {mode: 'no-cors'}).then((r) => r.type),
		prefetched: () => { document.head.append(Object.assign(document.createElement('link'), {rel: 'prefetch', href: url})); return new Promise((ok) => setTimeout(ok, 500)); },
		preconnected: () => { document.head.append(Object.assign(document.createElement('link'), {rel: 'preconnect', href: url})); return new Promise((ok) => setTimeout(ok, 500)); },
		resolved: () => { document.head.append(Object.assign(document.createElement('link'), {rel: 'dns-prefetch', href: url})); return new Promise((ok) => setTimeout(ok, 500)); },
		preloaded: () => added('link', {rel: 'preload', as: 'script', href: url}),
		modulepreloaded: () => added('link', {rel: 'modulepreload', href: url}),
	};
	const out = {};
	await Promise.all((WAYS_HERE || Object.keys(ways)).map(async (way) => {
		try { out[way] = await soon(ways[way]()); } catch (e) { out[way] = 'threw: ' + e; }
	}));
	return out;
}
