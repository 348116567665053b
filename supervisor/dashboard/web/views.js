// What the page shows, of the state that the host gives: elements and their
// text. Nothing of it is ever read as markup.

export const el = (id) => document.getElementById(id);

// make gives an element with a class and text or children.
export function make(tag, className, ...inside) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...inside.filter((x) => x !== undefined && x !== null));
  return e;
}

// put replaces what is inside of an element only where it has changed, so that
// neither selections nor scrolling are lost.
export function put(parent, ...children) {
  const fresh = make(parent.tagName, '', ...children);
  if (fresh.innerHTML !== parent.innerHTML) parent.replaceChildren(...fresh.childNodes);
}

export function text(e, value) {
  if (e.textContent !== value) e.textContent = value;
}

const clock = (at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });

// length says how long something took, in the largest units that matter.
export function length(from, to) {
  const s = Math.max(0, Math.round((to - new Date(from)) / 1000));
  if (s < 60) return `${s} s`;
  const m = Math.floor(s / 60);
  return m < 60 ? `${m} min ${s % 60} s` : `${Math.floor(m / 60)} h ${m % 60} min`;
}

const walls = {
  sandbox: 'Chromium’s sandbox',
  private_network: 'A network of its own',
  unprivileged_user: 'A user of its own',
  janitor: 'A cleaner that survives it',
};

// Why a browser stopped, in the sidecar's words and in a person's.
const reasons = { command: 'on request', expired: 'at its time', signal: 'by a signal', parent_gone: 'with its host' };

function since(browser) {
  if (browser?.status === 'running') return `for ${length(browser.started_at, Date.now())}`;
  if (browser?.status === 'stopped' && browser.started_at) {
    return `${reasons[browser.reason] ?? 'by itself'}, after ${length(browser.started_at, new Date(browser.stopped_at))}`;
  }
  return '';
}

function failure(browser) {
  const e = browser?.error;
  return e ? `${e.message}${e.hint ? `. ${e.hint}` : ''}` : '';
}

// card fills in a sandbox's card.
export function card(e, sandbox, modes, busy) {
  const browser = sandbox.browser;
  const status = browser?.status ?? (sandbox.ready ? 'no browser' : 'not ready');
  const running = status === 'running';
  const going = running || status === 'starting';
  text(e.querySelector('h2'), sandbox.title || sandbox.id);
  e.querySelector('.state').className = `state ${browser?.status ?? ''}`;
  text(e.querySelector('.state strong'), status);
  text(e.querySelector('.since'), since(browser));
  text(e.querySelector('.app code'), sandbox.app_url);
  e.querySelector('.app a').href = /^https?:/.test(sandbox.app_url) ? sandbox.app_url : '#';
  text(e.querySelector('.why'), failure(browser));
  e.querySelector('.why').hidden = !failure(browser);
  const list = e.querySelector('.walls');
  list.hidden = !browser?.sidecar;
  if (browser?.sidecar) {
    put(list, make('li', 'up', `Chromium ${browser.sidecar.chromium} (${browser.sidecar.flavour})`),
      ...Object.entries(walls).map(([key, name]) => {
        const up = browser.sidecar.features[key];
        return make('li', up ? 'up' : '', up ? name : `${name}: not here`);
      }));
  }
  const show = { start: !going && sandbox.ready, headed: !going && sandbox.ready && modes.includes('headed'), watch: running && browser.live_url, stop: going };
  for (const b of e.querySelectorAll('[data-do]')) {
    b.hidden = !show[b.dataset.do];
    b.disabled = busy;
  }
}

export function agent(a) {
  el('agent-state').className = `state ${a.status}`;
  put(el('agent-state'), make('span', 'dot'), make('strong', '', a.status), a.outcome ? make('span', '', a.outcome) : undefined);
  put(el('steps'), ...(a.steps ?? []).map((s) =>
    make('li', s.error ? 'error' : '', make('span', 'quiet', String(s.n)),
      make('span', '', s.error ? `${s.what}: ${s.error}` : s.what, make('code', '', s.tool)), make('span', 'quiet', `${s.ms} ms`))));
  el('picture').hidden = !a.screenshot;
  const image = el('picture').querySelector('img');
  if (a.screenshot && image.getAttribute('src') !== a.screenshot) {
    image.src = a.screenshot;
    el('picture').querySelector('a').href = a.screenshot;
  }
}

export function events(list) {
  put(el('event-list'), ...list.map((e) =>
    make('li', '', make('time', '', clock(e.at)), make('strong', '', e.type.replaceAll('_', ' ')), ' ', make('span', 'quiet', e.text ?? ''))));
}

export function recordings(list) {
  el('no-recordings').hidden = list.length > 0;
  put(el('recording-list'), ...list.map((r) => {
    const link = make('a', '', 'Replay');
    link.href = r.url;
    link.setAttribute('aria-label', `Replay ${r.title}, ${clock(r.started)}`);
    return make('tr', '', make('td', '', r.title), make('td', '', clock(r.started)),
      make('td', 'number', r.ended ? length(r.started, new Date(r.ended)) : 'goes on'), make('td', 'number', String(r.events)), make('td', '', link));
  }));
}

export function checks(list) {
  put(el('checks'), ...list.map((c) =>
    make('li', c.state === 'ok' ? 'ok' : '', make('b', '', c.state), make('span', '', make('strong', '', c.name), `: ${c.text}`))));
}
