// What is told in words: who drives, what waits, where the browser is.
function say(text, button = 'Stop watching') {
  if (!open()) size.seen = false;
  $('status').textContent = text;
  $('veil').textContent = size.seen ? '' : text;
  $('watch').textContent = button;
  paint();
}

// turn takes a change of who drives.
function turn(m) {
  const was = control.mine, at = document.activeElement;
  control = m;
  paint();
  if (!m.mine && fetching) unfetch();
  if (m.mine && !was) {
    keys.focus();
    // What the page asked before is to be answered now.
    if (asked) ask(asked);
    if (picked) pick(picked);
    if (offered) offer(offered);
  } else if (!m.mine && was) {
    for (const id of ['ask', 'pick', 'choose']) $(id).close();
    // The focus must not be lost with what had it.
    if (at?.closest('#stage, #bar, dialog')) $('drive').focus();
  }
}

function paint() {
  const mine = open() && control.mine;
  const other = control.held && !control.yours;
  document.body.dataset.state = !open() ? 'closed' : mine ? 'mine' : control.held ? 'held' : 'free';
  $('stage').classList.toggle('mine', mine);
  $('drive').disabled = !open() || other;
  $('drive').textContent = mine ? 'Hand back' : 'Take over';
  $('request-drive').hidden = mine;
  $('request-drive').disabled = $('request-done').disabled = $('request-decline').disabled = other;
  for (const id of ['back', 'forward', 'reload', 'url']) $(id).disabled = !mine;
  for (const b of $('tabs').querySelectorAll('button')) b.disabled = !mine;
  keys.disabled = !mine;
  for (const b of saves.values()) b.disabled = !mine || !!fetching;
  put('files-hint', mine ? '' : 'Take over to save them.');
  $('hint').textContent = mine ? 'Press Escape twice to leave the browser by keyboard.' : '';
  if (!open()) return put('banner', '');
  put('status', mine ? 'You are driving' : control.held ? (control.yours ? 'You are driving in another window' : (control.by ?? 'Somebody') + ' is driving') : 'Watching');
  put('banner', agent.waiting ? 'The agent waits to go on with ' + agent.tool + (mine ? '. Hand back when you are done.' : '.') : '');
}

// put changes a text only where it differs: screen readers read each change.
const put = (id, text) => { if ($(id).textContent !== text) $(id).textContent = text; };

// note tells something in passing.
let noted = 0;
function note(text) {
  clearTimeout(noted);
  put('toast', text);
  noted = setTimeout(() => put('toast', ''), 6000);
}

function page(p) {
  if (document.activeElement !== $('url')) $('url').value = p?.url ?? '';
  document.title = p?.url ? 'Live view of ' + p.url : 'Live view';
  screen.setAttribute('aria-label', 'Picture of the browser' + (p ? ', tab ' + p.tab + ' of ' + p.tabs + ', ' + (p.url ?? 'a page outside of the app') : ', no tab is open'));
}

const button = (text, label, act, small) => {
  const b = document.createElement('button');
  b.type = 'button';
  b.textContent = text;
  if (label) b.setAttribute('aria-label', label);
  if (small) b.className = 'close';
  b.onclick = act;
  return b;
};
const item = (...inside) => {
  const li = document.createElement('li');
  li.append(...inside);
  return li;
};

function tabs(m) {
  $('reload').setAttribute('aria-busy', m.loading);
  // Whoever goes through the tabs by keyboard stays where he is.
  const at = [...$('tabs').querySelectorAll('button')].indexOf(document.activeElement);
  $('tabs').replaceChildren(...m.tabs.map(t => {
    const name = t.title || (t.url && URL.canParse(t.url) && new URL(t.url).pathname) || 'New tab';
    const show = button(name, '', () => send({ type: 'show_tab', id: t.id }));
    if (t.current) show.setAttribute('aria-current', 'page');
    return item(show, button('×', 'Close ' + name, () => send({ type: 'close_tab', id: t.id }), true));
  }), item(button('+', 'New tab', () => send({ type: 'new_tab' }), true)));
  paint();
  const all = $('tabs').querySelectorAll('button');
  if (at >= 0) all[Math.min(at, all.length - 1)].focus();
}

