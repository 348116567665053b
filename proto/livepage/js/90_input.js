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
  if (e.pointerType === 'touch' && touchable) return touch(e, 'down');
  if (e.pointerType === 'touch') { finger = { x: e.clientX, y: e.clientY, moved: false }; keys.setPointerCapture(e.pointerId); return; }
  e.preventDefault();
  if (e.button > 2) return; // back and forward are the viewer's own
  keys.focus();
  keys.setPointerCapture(e.pointerId);
  const near = e.button === clicks.button && e.timeStamp - clicks.at < 500 && Math.hypot(e.clientX - clicks.x, e.clientY - clicks.y) < 5;
  clicks = { n: near ? Math.min(clicks.n + 1, 3) : 1, at: e.timeStamp, x: e.clientX, y: e.clientY, button: e.button };
  flush();
  send({ type: 'mouse', action: 'down', ...place(e), button: names[e.button] ?? 'left', clickCount: clicks.n, modifiers: modifiers(e) });
});
keys.addEventListener('pointermove', e => {
  if (e.pointerType === 'touch' && touchable) return touch(e, 'move');
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
  if (e.pointerType === 'touch' && touchable) return touch(e, e.type === 'pointerup' ? 'up' : 'cancel');
  if (finger && e.pointerType === 'touch') {
    const tap = !finger.moved && e.type === 'pointerup';
    finger = null;
    if (!tap) return;
    for (const action of ['move', 'down', 'up']) send({ type: 'mouse', action, ...place(e), button: action === 'move' ? 'none' : 'left', clickCount: 1, modifiers: 0 });
    return keys.focus();
  }
  if (e.button > 2) return;
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
  const say = action => send({ type: 'key', action, key: e.key, code: e.code, keyCode: e.keyCode, modifiers: modifiers(e) });
  if (e.type === 'keyup') {
    down.delete(e.code);
    return say('up');
  }
  down.set(e.code, e.key);
  const letter = e.ctrlKey || e.metaKey ? e.key.toLowerCase() : '';
  if (letter === 'x' && !e.repeat) return copy(() => { say('down'); say('up'); }); // before it is gone
  if (letter === 'c' && !e.repeat) copy();
  say('down');
}
keys.addEventListener('keydown', key);
keys.addEventListener('keyup', key);
keys.addEventListener('blur', () => {
  for (const [code, name] of down) send({ type: 'key', action: 'up', key: name, code, modifiers: 0 });
  down.clear();
});
function type(text) {
  while (text) {
    // Not in the middle of a character of two units.
    const n = text.length > 2000 && /[\ud800-\udbff]/.test(text[1999]) ? 1999 : 2000;
    send({ type: 'text', text: text.slice(0, n) });
    text = text.slice(n);
  }
}
keys.addEventListener('paste', e => { e.preventDefault(); type(e.clipboardData.getData('text/plain')); });
keys.addEventListener('compositionend', e => { type(e.data); keys.value = ''; });
keys.addEventListener('input', e => {
  if (e.isComposing) return;
  if (e.inputType === 'deleteContentBackward') for (const action of ['down', 'up']) send({ type: 'key', action, key: 'Backspace', code: 'Backspace', modifiers: 0 });
  else if (e.inputType.startsWith('insertLineBreak')) for (const action of ['down', 'up']) send({ type: 'key', action, key: 'Enter', code: 'Enter', modifiers: 0 });
  else if (e.data && e.inputType !== 'insertCompositionText') type(e.data);
  keys.value = '';
});

