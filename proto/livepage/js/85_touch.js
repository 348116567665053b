// Fingers. Each change of them is told whole; moves once a frame. A sidecar that
// knows no fingers gets clicks and wheels, in the next file.
let touchable = false, strokes = false;
const fingers = new Map(); // by the pointer's own id
let tapped = null; // where a finger is that may only tap: a stroke opens no keyboard

function touch(e, what) {
  if (!control.mine) return fingers.clear();
  const known = fingers.get(e.pointerId);
  if (what === 'down') {
    const used = [...fingers.values()].map(f => f.id);
    const id = [0, 1, 2, 3, 4].find(n => !used.includes(n));
    if (id === undefined) return;
    keys.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, { id, ...place(e) });
    tapped = fingers.size === 1 ? { x: e.clientX, y: e.clientY } : null;
  } else if (!known) {
    return;
  } else if (what === 'move') {
    Object.assign(known, place(e));
    if (tapped && Math.hypot(e.clientX - tapped.x, e.clientY - tapped.y) > 8) tapped = null;
    if (!strokes) requestAnimationFrame(tellFingers);
    strokes = true;
    return;
  } else {
    if (strokes) tellFingers();
    fingers.delete(e.pointerId);
  }
  if (what === 'cancel') {
    fingers.clear();
    return send({ type: 'touch', points: [], cancel: true });
  }
  strokes = true;
  tellFingers();
  if (what === 'up' && tapped) keys.focus();
}

function tellFingers() {
  if (strokes) send({ type: 'touch', points: [...fingers.values()], modifiers: 0 });
  strokes = false;
}
