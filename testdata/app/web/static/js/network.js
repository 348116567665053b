async function send(kind, url, options) {
  try {
    const answer = await fetch(url, options);
    await answer.arrayBuffer();
    note(kind, answer.status);
  } catch (error) {
    note(kind, error.name);
  }
}
function xhr(kind, url) {
  const request = new XMLHttpRequest();
  request.open('GET', url);
  request.addEventListener('loadend', () => note(kind, request.status));
  request.send();
}
const ways = {
  get: () => send('get', '/api/echo?from=network'),
  post: () => send('post', '/api/echo', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"from":"network"}' }),
  missing: () => send('missing', '/api/status?code=404'),
  failing: () => send('failing', '/api/status?code=500'),
  redirected: () => send('redirected', '/redirect/302?to=/api/echo'),
  reset: () => send('reset', '/broken/reset'),
  slow: () => send('slow', `/api/status?delay=${query.get('delay') || '1s'}`),
  aborted: () => send('aborted', '/api/status?delay=10s', { signal: AbortSignal.timeout(100) }),
  xhr: () => xhr('xhr', '/api/echo?from=xhr'),
  xhr500: () => xhr('xhr500', '/api/status?code=500'),
  beacon: () => note('beacon', navigator.sendBeacon('/api/echo', 'from a beacon')),
  image() {
    const image = new Image();
    image.addEventListener('load', () => note('image', 'loaded'));
    image.src = '/api/image';
  },
  twenty: () => Promise.all(Array.from({ length: 20 }, (_, i) => send('twenty', `/api/echo?n=${i + 1}`))),
};
for (const button of document.querySelectorAll('[data-send]')) {
  button.addEventListener('click', () => ways[button.dataset.send]());
}
if (query.get('on') === 'load') for (const kind of (query.get('kind') || 'get,post,missing,failing,beacon').split(',')) ways[kind]();
