// The connection: to begin, to lose and to find it again.
const features = ['ask', 'binary', 'clipboard', 'downloads', 'modals', 'pickers', 'tabs', 'touch', ...(mac ? ['mac'] : [])];
const closed = {
  1001: 'The browser has stopped.', 1009: 'The browser refused a message that was too large.',
  4401: 'This ticket is not valid.', 4408: 'The browser got no ticket in time.', 4429: 'As many people as can are watching already.',
};
// Reasons of 4401 that are clearer than it.
const refused = { expired: 'This ticket is not valid any more.', 'already used': 'This ticket was used already.', revoked: 'You may not watch this browser any more.' };
// These are no use to try again by oneself.
const final = new Set([1001, 4401]);
let tries = 0, timer = 0;

async function connect() {
  clearTimeout(timer);
  timer = 0;
  say('Connecting');
  const mine = socket = new WebSocket(new URL(socketPath, location.href.replace(/^http/, 'ws').replace(/#.*/, '')));
  mine.binaryType = 'arraybuffer';
  const pass = ticket('view');
  pass.catch(() => {}); // told below
  mine.onopen = async () => {
    try {
      mine.send(JSON.stringify({ type: 'auth', ticket: await pass, features }));
    } catch {
      mine.close(1000);
    }
  };
  mine.onmessage = e => { if (mine === socket) hear(e.data); };
  mine.onclose = async e => {
    // A host that hangs must not hide that the socket is gone.
    const failed = await Promise.race([pass.then(() => null, why => why), new Promise(r => setTimeout(r, 3000))]);
    if (mine === socket) lost({ code: e.code, reason: e.reason, failed });
  };
}

function lost(e) {
  socket = null;
  control = { held: false, mine: false };
  agent = { waiting: false };
  for (const id of ['ask', 'pick', 'choose']) $(id).close();
  asked = picked = offered = null;
  unfetch();
  request(null);
  if (!wanted) return say('You are not watching.', 'Watch');
  let why = closed[e.code] ?? 'The connection was lost.';
  if (e.code === 4401) why = refused[e.reason] ?? why + ' (' + e.reason + ')';
  if (e.failed instanceof Denied) why = e.failed.message;
  if (final.has(e.code) || e.failed instanceof Denied) {
    wanted = false;
    return say(why, 'Try again');
  }
  say(why + ' Trying again.');
  timer = setTimeout(connect, Math.min(10000, 500 * 2 ** tries++));
}

function stopWatching() {
  wanted = false;
  clearTimeout(timer);
  timer = 0;
  if (control.mine) send({ type: 'hand_back' });
  const old = socket;
  socket = null;
  old?.close(1000);
  lost({ code: 1000 });
}

// A network that came back need not be waited for, and one that went away may
// not be noticed for minutes.
const hurry = () => { if (wanted && timer) { tries = 0; connect(); } };
addEventListener('online', hurry);
document.addEventListener('visibilitychange', () => { if (!document.hidden) hurry(); });
addEventListener('offline', () => {
  if (!socket || ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)) return;
  const old = socket;
  lost({ code: 1006 });
  old.close();
});

function hear(data) {
  if (typeof data !== 'string') return frame(data);
  const m = JSON.parse(data);
  switch (m.type) {
    case 'ready':
      tries = 0;
      control = m.control; agent = m.agent; page(m.page);
      return say('Watching');
    case 'control': return turn(m);
    case 'agent': agent = m; return paint();
    case 'ask': return request(m.ask);
    case 'page': return page(m.page);
    case 'tabs': return tabs(m);
    case 'dialog': return ask(m.dialog);
    case 'chooser': return pick(m.chooser);
    case 'picker': return offer(m.picker);
    case 'download': return saved(m.download);
    case 'part': return part(m);
    case 'features': touchable = m.features.includes('touch'); return;
    case 'clipboard': return copied(m.text);
    case 'error':
      if (fetching) unfetch();
      return note(m.message);
  }
}

