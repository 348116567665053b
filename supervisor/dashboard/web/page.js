// The dashboard: it asks the host for its state every second while somebody
// looks, and does what the buttons say by the host's API.
import { el, make, put, text, card, agent, events, recordings, checks } from './views.js';

const everyMs = 1000; // a person's idea of "now"
const cards = new Map(); // by sandbox: its element, whether it waits for an answer, what it watches
let modes = [];

const api = (id, rest = '') => `/api/sandboxes/${encodeURIComponent(id)}/browser${rest}`;

function trouble(message) {
  text(el('trouble'), message);
  el('trouble').hidden = !message;
}

// ask makes a request of the API and returns its answer, or says what went
// wrong in the host's words.
async function ask(method, path, body) {
  const response = await fetch(path, {
    method, body: body && JSON.stringify(body), headers: body ? { 'Content-Type': 'application/json' } : {},
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const said = answer.error ?? `The host answered ${response.status}.`;
    throw new Error(answer.hint ? `${said}. ${answer.hint}` : said);
  }
  return answer;
}

// act does what a button says.
async function act(id, what) {
  const c = cards.get(id);
  if (what === 'watch') {
    watch(c, c.watching ? null : c.session);
    draw(c);
    return;
  }
  c.busy = true;
  trouble('');
  draw(c);
  try {
    if (what === 'stop') await ask('DELETE', api(id));
    else await ask('POST', api(id), { mode: what === 'headed' ? 'headed' : 'headless' });
  } catch (e) {
    trouble(`${c.sandbox.title || id}: ${e.message}`);
  }
  c.busy = false;
  await refresh();
}

// watch shows the live view of a browser, and takes it away when that is gone.
function watch(c, session) {
  const box = c.element.querySelector('.live');
  const frame = box.querySelector('iframe');
  c.watching = session;
  box.hidden = !session;
  const address = `/live/${encodeURIComponent(c.sandbox.id)}/`;
  if (session) {
    frame.src = address;
    box.querySelector('a').href = address;
  } else {
    frame.removeAttribute('src');
  }
}

function draw(c) {
  card(c.element, c.sandbox, modes, c.busy);
  c.session = c.sandbox.browser?.server_key ?? null;
  if (c.watching && c.watching !== c.session) watch(c, null);
  text(c.element.querySelector('[data-do=watch]'), c.watching ? 'Hide the live view' : 'Watch live');
}

function sandboxes(list) {
  for (const [id, c] of cards) {
    if (list.some((s) => s.id === id)) continue;
    c.element.remove();
    cards.delete(id);
  }
  for (const s of list) {
    if (!cards.has(s.id)) {
      const element = el('card').content.firstElementChild.cloneNode(true);
      element.addEventListener('click', (e) => {
        const what = e.target.closest('[data-do]')?.dataset.do;
        if (what) act(s.id, what);
      });
      cards.set(s.id, { element });
      el('cards').append(element);
    }
    const c = cards.get(s.id);
    c.sandbox = s;
    draw(c);
  }
  el('none').hidden = list.length > 0;
}

function part(name, there) {
  for (const e of document.querySelectorAll(`[data-part=${name}]`)) e.hidden = !there;
}

// announce tells a screen reader what others see change its colour.
function announce(state) {
  text(el('news'), state.sandboxes.map((s) => `${s.title || s.id}: ${s.browser?.status ?? 'no browser'}`).join('. '));
}

async function refresh() {
  const state = await ask('GET', '/dashboard/state.json');
  modes = state.browser_modes;
  sandboxes(state.sandboxes);
  part('minutes', state.minutes !== undefined);
  text(el('minutes'), String(state.minutes ?? 0));
  part('agent', state.agent);
  if (state.agent) agent(state.agent);
  part('events', state.events);
  if (state.events) events(state.events);
  part('recordings', state.recordings);
  if (state.recordings) recordings(state.recordings);
  part('machine', state.doctor);
  text(el('version'), `Pillion ${state.version}.`);
  announce(state);
  return state;
}

// examine asks the doctor, which takes a moment.
async function examine() {
  el('examine').disabled = true;
  try {
    checks((await ask('GET', '/dashboard/doctor.json')).checks);
  } catch (e) {
    put(el('checks'), make('li', '', make('b', '', 'failed'), make('span', '', e.message)));
  }
  el('examine').disabled = false;
}

let examined = false;
async function keepFresh() {
  if (!document.hidden) {
    try {
      const state = await refresh();
      if (state.doctor && !examined) {
        examined = true;
        examine();
      }
    } catch {
      // The host has stopped, or is about to be back: what is shown stays.
    }
  }
  setTimeout(keepFresh, everyMs);
}

el('examine').addEventListener('click', examine);
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh().catch(() => {}); });
keepFresh();
