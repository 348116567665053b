(() => {
  'use strict';
  const $ = id => document.getElementById(id);
  const screen = $('screen'), keys = $('keys'), pen = screen.getContext('2d');
  const params = new URLSearchParams(location.hash.slice(1));
  const token = params.get('token') ?? '', person = { sub: params.get('user') ?? 'debug', name: params.get('name') ?? 'Somebody at the debug page' };
  const mac = /mac|iphone|ipad/i.test(navigator.platform);
  const closed = {
    1001: 'The browser has stopped.', 4401: 'This ticket is not valid any more.', 4408: 'The browser got no ticket in time.',
    4429: 'As many people as can are watching already.', 1009: 'The browser refused a message that was too large.',
  };
  // These are no use to try again by oneself.
  const final = new Set([1001, 4401]);
  let socket = null, wanted = true, tries = 0, timer = 0, control = { held: false, mine: false }, agent = { waiting: false }, size = { width: 1280, height: 800 };

  // A ticket as a host would sign it: only who has the token can.
  const bytes = text => new TextEncoder().encode(text);
  const base64 = data => btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  async function mac256(key, message) {
    const k = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return crypto.subtle.sign('HMAC', k, message);
  }
  async function ticket(mode) {
    const now = Math.floor(Date.now() / 1000);
    const claims = { v: 1, sid: document.body.dataset.session, sub: person.sub, name: person.name, mode, iat: now, exp: now + 30, jti: base64(crypto.getRandomValues(new Uint8Array(24))) };
    const payload = base64(bytes(JSON.stringify(claims)));
    const key = await mac256(bytes(token), bytes('activeagents/browser-live-ticket/v1'));
    return payload + '.' + base64(await mac256(key, bytes(payload)));
  }

  const send = message => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };

  async function connect() {
    clearTimeout(timer);
    say('Connecting');
    const mine = socket = new WebSocket(location.origin.replace('http', 'ws') + '/live');
    mine.binaryType = 'arraybuffer';
    mine.onopen = async () => {
      const features = ['binary', 'modals', 'tabs'];
      if (mac) features.push('mac');
      mine.send(JSON.stringify({ type: 'auth', ticket: await ticket('view'), features }));
    };
    mine.onmessage = e => { if (mine === socket) hear(e.data); };
    mine.onclose = e => { if (mine === socket) lost(e); };
  }

  function lost(e) {
    socket = null;
    control = { held: false, mine: false };
    agent = { waiting: false };
    $('ask').close(); $('pick').close();
    if (!wanted) return say('You are not watching.', 'Watch');
    const why = closed[e.code] ?? 'The connection was lost.';
    if (final.has(e.code)) { wanted = false; return say(why + (e.reason && e.code === 4401 ? ' (' + e.reason + ')' : ''), 'Try again'); }
    const wait = Math.min(10000, 500 * 2 ** tries++);
    say(why + ' Trying again.', 'Stop watching');
    timer = setTimeout(connect, wait);
  }

  function say(text, button = 'Stop watching') {
    $('status').textContent = text;
    $('veil').textContent = socket?.readyState === WebSocket.OPEN && size.seen ? '' : text;
    $('watch').textContent = button;
    if (!socket || socket.readyState !== WebSocket.OPEN) size.seen = false;
    paint();
  }

  function hear(data) {
    if (typeof data !== 'string') return frame(data);
    const m = JSON.parse(data);
    switch (m.type) {
      case 'ready':
        tries = 0;
        control = m.control; agent = m.agent; page(m.page);
        return say('Watching');
      case 'control': {
        const was = control.mine;
        control = m;
        paint();
        if (m.mine && !was) {
          keys.focus();
          // What the page asked before is to be answered now.
          if (asked) ask(asked);
          if (picked) pick(picked);
        } else if (!m.mine && was) {
          $('ask').close(); $('pick').close();
        }
        return;
      }
      case 'agent': agent = m; return paint();
      case 'page': return page(m.page);
      case 'tabs': return tabs(m);
      case 'dialog': return ask(m.dialog);
      case 'chooser': return pick(m.chooser);
      case 'error': return note(m.message);
    }
  }

  // Only the newest picture is drawn, whatever arrived meanwhile.
  let newest = null, drawing = false;
  function frame(buffer) {
    newest = { buffer, at: performance.now() };
    if (!drawing) draw();
  }
  async function draw() {
    drawing = true;
    while (newest) {
      const { buffer, at } = newest;
      newest = null;
      const length = new DataView(buffer).getUint32(0);
      const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
      try {
        const image = await createImageBitmap(new Blob([new Uint8Array(buffer, 4 + length)], { type: 'image/jpeg' }));
        if (screen.width !== image.width || screen.height !== image.height) { screen.width = image.width; screen.height = image.height; }
        pen.drawImage(image, 0, 0);
        image.close();
        if (size.width !== head.width || size.height !== head.height) $('stage').style.aspectRatio = head.width + ' / ' + head.height;
        size = { width: head.width, height: head.height, seen: true };
        $('veil').textContent = '';
        document.body.dataset.frame = head.seq;
        $('age').textContent = 'Picture ' + Math.round(head.age_ms + performance.now() - at) + ' ms old';
      } catch { /* a broken picture: the next one comes */ }
    }
    drawing = false;
  }

  function page(p) {
    if (document.activeElement !== $('url')) $('url').value = p?.url ?? '';
    document.title = p?.url ? 'Live view of ' + p.url : 'Live view';
    screen.setAttribute('aria-label', 'Picture of the browser' + (p ? ', tab ' + p.tab + ' of ' + p.tabs + ', ' + (p.url ?? 'a page outside of the app') : ', no tab is open'));
  }

  function paint() {
    const open = socket?.readyState === WebSocket.OPEN, mine = open && control.mine;
    document.body.dataset.state = !open ? 'closed' : mine ? 'mine' : control.held ? 'held' : 'free';
    $('stage').classList.toggle('mine', mine);
    $('drive').disabled = !open || (control.held && !control.yours);
    $('drive').textContent = mine ? 'Hand back' : 'Take over';
    for (const id of ['back', 'forward', 'reload', 'url']) $(id).disabled = !mine;
    for (const b of $('tabs').querySelectorAll('button')) b.disabled = !mine;
    keys.disabled = !mine;
    $('hint').textContent = mine ? 'Press Escape twice to leave the browser by keyboard.' : '';
    if (!open) return banner('');
    $('status').textContent = mine ? 'You are driving' : control.held ? (control.yours ? 'You are driving in another window' : (control.by ?? 'Somebody') + ' is driving') : 'Watching';
    banner(agent.waiting ? 'The agent waits to go on with ' + agent.tool + (mine ? '. Hand back when you are done.' : '.') : '');
  }
  const banner = text => { if ($('banner').textContent !== text) $('banner').textContent = text; };
  let noteTimer = 0;
  function note(text) {
    clearTimeout(noteTimer);
    banner(text);
    noteTimer = setTimeout(paint, 6000);
  }

  function tabs(m) {
    $('reload').setAttribute('aria-busy', m.loading);
    $('tabs').replaceChildren(...m.tabs.map(t => {
      const li = document.createElement('li'), show = document.createElement('button'), close = document.createElement('button');
      show.type = close.type = 'button';
      show.textContent = t.title || (t.url && new URL(t.url).pathname) || 'New tab';
      if (t.current) show.setAttribute('aria-current', 'page');
      show.onclick = () => send({ type: 'show_tab', id: t.id });
      close.textContent = '×';
      close.className = 'close';
      close.setAttribute('aria-label', 'Close ' + show.textContent);
      close.onclick = () => send({ type: 'close_tab', id: t.id });
      li.append(show, close);
      return li;
    }), newTab());
    paint();
  }
  function newTab() {
    const li = document.createElement('li'), b = document.createElement('button');
    b.type = 'button';
    b.textContent = '+';
    b.className = 'close';
    b.setAttribute('aria-label', 'New tab');
    b.onclick = () => send({ type: 'new_tab' });
    li.append(b);
    return li;
  }

  // What the page asks is shown to everybody, and answered by who drives.
  let asked = null, picked = null;
  function ask(d) {
    asked = d;
    $('ask').close();
    if (!d) return;
    if (!control.mine) return note('The page asks: ' + d.message);
    $('ask-text').textContent = d.kind === 'beforeunload' ? 'Leave this page? What was entered may be lost.' : d.message;
    $('ask-value').hidden = d.kind !== 'prompt';
    $('ask-value').value = d.default;
    $('ask-no').hidden = d.kind === 'alert';
    $('ask').returnValue = '';
    $('ask').showModal();
  }
  // A person's own doing alone is an answer: a dialog is also closed because
  // somebody else has answered it.
  function answer(id, then) {
    const own = () => { if (control.mine) { then($(id).returnValue === 'yes'); keys.focus(); } };
    $(id).addEventListener('submit', e => { $(id).close(e.submitter?.value ?? 'yes'); e.preventDefault(); own(); });
    $(id).addEventListener('cancel', () => { $(id).returnValue = 'no'; own(); });
  }
  answer('ask', yes => {
    if (asked) send({ type: 'dialog', accept: yes, text: $('ask-value').value });
    asked = null;
  });
  function pick(c) {
    picked = c;
    $('pick').close();
    if (!c) return;
    if (!control.mine) return note('The page asks for a file');
    $('pick-files').multiple = c.multiple;
    $('pick-files').value = '';
    $('pick').returnValue = '';
    $('pick').showModal();
  }
  answer('pick', async yes => {
    if (!picked) return;
    picked = null;
    const files = yes ? [...$('pick-files').files] : [];
    if (files.length === 0) return send({ type: 'choose', cancel: true });
    const part = 45000;
    for (const f of files) {
      const data = new Uint8Array(await f.arrayBuffer());
      for (let at = 0; at === 0 || at < data.length; at += part) {
        let text = '';
        for (const b of data.subarray(at, at + part)) text += String.fromCharCode(b);
        send({ type: 'file', ...(at === 0 && { name: f.name }), data: btoa(text) });
      }
    }
    send({ type: 'choose' });
  });

  $('drive').onclick = async () => control.mine ? send({ type: 'hand_back' }) : send({ type: 'take_control', ticket: await ticket('control') });
  $('watch').onclick = () => {
    if (socket || timer && wanted) {
      wanted = false;
      clearTimeout(timer);
      if (control.mine) send({ type: 'hand_back' });
      const old = socket;
      socket = null;
      old?.close(1000);
      lost({ code: 1000 });
      return;
    }
    wanted = true;
    tries = 0;
    connect();
  };
  $('address').onsubmit = e => { e.preventDefault(); send({ type: 'open', url: $('url').value }); keys.focus(); };
  for (const id of ['back', 'forward', 'reload']) $(id).onclick = () => send({ type: id });

  // Pointer.
  const modifiers = e => (e.altKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);
  const names = ['left', 'middle', 'right'];
  function place(e) {
    const r = keys.getBoundingClientRect();
    const clamp = v => Math.min(1, Math.max(0, v));
    return { x: clamp((e.clientX - r.left) / r.width), y: clamp((e.clientY - r.top) / r.height) };
  }
  let move = null, clicks = { n: 0, at: 0, x: 0, y: 0, button: 0 }, finger = null;
  function flush() { if (move) { send(move); move = null; } }
  keys.addEventListener('pointerdown', e => {
    if (e.pointerType === 'touch') { finger = { x: e.clientX, y: e.clientY, moved: false }; keys.setPointerCapture(e.pointerId); return; }
    e.preventDefault();
    keys.focus();
    keys.setPointerCapture(e.pointerId);
    const near = e.button === clicks.button && e.timeStamp - clicks.at < 500 && Math.hypot(e.clientX - clicks.x, e.clientY - clicks.y) < 5;
    clicks = { n: near ? Math.min(clicks.n + 1, 3) : 1, at: e.timeStamp, x: e.clientX, y: e.clientY, button: e.button };
    flush();
    send({ type: 'mouse', action: 'down', ...place(e), button: names[e.button] ?? 'left', clickCount: clicks.n, modifiers: modifiers(e) });
  });
  keys.addEventListener('pointermove', e => {
    if (finger && e.pointerType === 'touch') {
      const dx = finger.x - e.clientX, dy = finger.y - e.clientY;
      if (finger.moved || Math.hypot(dx, dy) > 8) {
        finger = { x: e.clientX, y: e.clientY, moved: true };
        const scale = size.width / keys.clientWidth;
        send({ type: 'wheel', ...place(e), deltaX: dx * scale, deltaY: dy * scale, modifiers: 0 });
      }
      return;
    }
    if (!move) requestAnimationFrame(flush);
    move = { type: 'mouse', action: 'move', ...place(e), button: e.buttons & 1 ? 'left' : 'none', modifiers: modifiers(e) };
  });
  const lift = e => {
    if (finger && e.pointerType === 'touch') {
      const tap = !finger.moved && e.type === 'pointerup';
      finger = null;
      if (!tap) return;
      for (const action of ['move', 'down', 'up']) send({ type: 'mouse', action, ...place(e), button: action === 'move' ? 'none' : 'left', clickCount: 1, modifiers: 0 });
      return keys.focus();
    }
    flush();
    send({ type: 'mouse', action: 'up', ...place(e), button: names[e.button] ?? 'left', clickCount: clicks.n || 1, modifiers: modifiers(e) });
  };
  keys.addEventListener('pointerup', lift);
  keys.addEventListener('pointercancel', lift);
  keys.addEventListener('contextmenu', e => e.preventDefault());
  keys.addEventListener('wheel', e => {
    e.preventDefault();
    const unit = [1, 16, 800][e.deltaMode];
    send({ type: 'wheel', ...place(e), deltaX: e.deltaX * unit, deltaY: e.deltaY * unit, modifiers: modifiers(e) });
  }, { passive: false });

  // Keyboard. The text area takes what an input method composes and what is
  // pasted; it keeps nothing.
  let escape = -1e9;
  const down = new Map();
  function key(e) {
    if (e.isComposing || e.key === 'Process' || e.key === 'Unidentified') return;
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'v') return;
    if (e.type === 'keydown' && e.key === 'Escape' && !e.repeat) {
      if (e.timeStamp - escape < 600) { e.preventDefault(); escape = -1e9; return $('drive').focus(); }
      escape = e.timeStamp;
    }
    e.preventDefault();
    e.type === 'keydown' ? down.set(e.code, e.key) : down.delete(e.code);
    send({ type: 'key', action: e.type === 'keydown' ? 'down' : 'up', key: e.key, code: e.code, keyCode: e.keyCode, modifiers: modifiers(e) });
  }
  keys.addEventListener('keydown', key);
  keys.addEventListener('keyup', key);
  keys.addEventListener('blur', () => {
    for (const [code, name] of down) send({ type: 'key', action: 'up', key: name, code, modifiers: 0 });
    down.clear();
  });
  const type = text => { for (let at = 0; at < text.length; at += 2000) send({ type: 'text', text: text.slice(at, at + 2000) }); };
  keys.addEventListener('paste', e => { e.preventDefault(); type(e.clipboardData.getData('text/plain')); });
  keys.addEventListener('compositionend', e => { type(e.data); keys.value = ''; });
  keys.addEventListener('input', e => {
    if (e.isComposing) return;
    if (e.inputType === 'deleteContentBackward') for (const action of ['down', 'up']) send({ type: 'key', action, key: 'Backspace', code: 'Backspace', modifiers: 0 });
    else if (e.inputType.startsWith('insertLineBreak')) for (const action of ['down', 'up']) send({ type: 'key', action, key: 'Enter', code: 'Enter', modifiers: 0 });
    else if (e.data && e.inputType !== 'insertCompositionText') type(e.data);
    keys.value = '';
  });

  if (!token) { wanted = false; say('Put the browser’s token behind the address of this page: #token=…', 'Try again'); $('watch').onclick = () => location.reload(); addEventListener('hashchange', () => location.reload()); return; }
  connect();
})();
