// Every way by which a script can leave the app, or send something out of it,
// to the URL given. Each is a function of that URL.
const anchor = (to, change) => {
  const link = document.createElement('a');
  link.href = to;
  link.textContent = 'made by script';
  document.body.append(link);
  change(link);
};
const clicked = (link, options) => link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window, ...options }));
const outcome = (name, promise) => promise.then((x) => note(name, x), (error) => note(name, `failed ${error.name}`));
const loaded = (name, element) => new Promise((resolve) => {
  element.addEventListener('load', () => resolve(note(name, 'loaded')));
  element.addEventListener('error', () => resolve(note(name, 'failed')));
  document.body.append(element);
});
const over = (to, scheme) => to.replace(/^https?/, scheme);
const element = (name, attributes) => Object.assign(document.createElement(name), attributes);
const submit = (to, attributes) => {
  const form = element('form', { action: to, ...attributes });
  form.append(element('input', { type: 'hidden', name: 'secret', value: 'form' }));
  document.body.append(form);
  form.submit();
};
const hint = (rel) => (to) => { document.head.append(element('link', { rel, href: to, as: rel === 'preload' ? 'script' : '' })); note(rel, 'asked'); };

window.ways = {
  'location.href': (to) => { location.href = to; },
  'location.assign': (to) => location.assign(to),
  'location.replace': (to) => location.replace(to),
  'navigation.navigate': (to) => { const r = navigation.navigate(to); r.committed.catch(() => {}); r.finished.catch((e) => note('navigation.navigate', e.name)); },
  'window.open': (to) => note('window.open', Boolean(open(to))),
  'window.open noopener': (to) => { open(to, '_blank', 'noopener'); },
  'window.open sized': (to) => note('window.open sized', Boolean(open(to, 'sized', 'width=300,height=200'))),
  'window.open blank first': (to) => { const w = open(''); if (w) w.location = to; note('window.open blank first', Boolean(w)); },
  'window.open fifteen': (to) => { for (let i = 0; i < 15; i++) open(to); },
  'link click': (to) => anchor(to, (a) => a.click()),
  'ctrl-click': (to) => anchor(to, (a) => clicked(a, { ctrlKey: true })),
  'shift-click': (to) => anchor(to, (a) => clicked(a, { shiftKey: true })),
  'middle click': (to) => anchor(to, (a) => clicked(a, { button: 1 })),
  'blank link': (to) => anchor(to, (a) => { a.target = '_blank'; a.click(); }),
  'download link': (to) => anchor(to, (a) => { a.download = 'x'; a.click(); }),
  'ping': (to) => anchor('#pinged', (a) => { a.ping = to; a.click(); }),
  'form get': (to) => submit(to, { method: 'get' }),
  'form post': (to) => submit(to, { method: 'post' }),
  'form blank': (to) => submit(to, { method: 'post', target: '_blank' }),
  'meta refresh': (to) => document.head.append(element('meta', { httpEquiv: 'refresh', content: `0;url=${to}` })),
  'fetch': (to) => outcome('fetch', fetch(to, { mode: 'no-cors' }).then((r) => r.type)),
  'fetch post': (to) => outcome('fetch post', fetch(to, { mode: 'no-cors', method: 'POST', body: 'secret=fetch' }).then((r) => r.type)),
  'fetch keepalive': (to) => outcome('fetch keepalive', fetch(to, { mode: 'no-cors', keepalive: true }).then((r) => r.type)),
  'fetch redirected': (to) => outcome('fetch redirected', fetch(`/redirect/302?to=${encodeURIComponent(to)}`, { mode: 'no-cors' }).then((r) => r.type)),
  'xhr': (to) => { const r = new XMLHttpRequest(); r.open('GET', to); r.onloadend = () => note('xhr', r.status); r.send(); },
  'beacon': (to) => note('beacon', navigator.sendBeacon(to, 'secret=beacon')),
  'websocket': (to) => { const s = new WebSocket(over(to, 'ws')); s.onopen = () => note('websocket', 'open'); s.onclose = (e) => note('websocket', `closed ${e.code}`); },
  'eventsource': (to) => { const s = new EventSource(to); s.onerror = () => { note('eventsource', 'failed'); s.close(); }; },
  'webtransport': (to) => { if (window.WebTransport) outcome('webtransport', new WebTransport(over(to, 'https')).ready); },
  'iframe': (to) => loaded('iframe', element('iframe', { src: to })),
  'frame to top': (to) => { const f = element('iframe', {}); document.body.append(f); f.contentWindow.eval(`top.location = ${JSON.stringify(to)}`); },
  'object': (to) => loaded('object', element('object', { data: to })),
  'embed': (to) => loaded('embed', element('embed', { src: to })),
  'image': (to) => loaded('image', element('img', { src: to })),
  'script': (to) => loaded('script', element('script', { src: to })),
  'module': (to) => outcome('module', import(to).then(() => 'loaded')),
  'stylesheet': (to) => loaded('stylesheet', element('link', { rel: 'stylesheet', href: to })),
  'video': (to) => { document.body.append(element('video', { src: to, preload: 'auto' })); },
  'font': (to) => outcome('font', new FontFace('leaving', `url(${JSON.stringify(to)})`).load().then(() => 'loaded')),
  'worker': (to) => { const w = new Worker('/static/js/worker.js'); w.onmessage = (e) => note('worker', e.data); w.postMessage(to); },
  'prefetch': hint('prefetch'),
  'preload': hint('preload'),
  'modulepreload': hint('modulepreload'),
  'preconnect': hint('preconnect'),
  'dns-prefetch': hint('dns-prefetch'),
  'speculation': (to) => document.head.append(element('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch: [{ source: 'list', urls: [to], eagerness: 'immediate' }], prerender: [{ source: 'list', urls: [to], eagerness: 'immediate' }] }) })),
  'rtc': async (to) => {
    const p = new RTCPeerConnection({ iceServers: [{ urls: `stun:${new URL(to).host}` }] });
    p.onicecandidate = (e) => e.candidate?.candidate && note('rtc', e.candidate.candidate);
    p.createDataChannel('x');
    await p.setLocalDescription(await p.createOffer());
  },
};
