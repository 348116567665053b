// Refs and other keys: names by which Go speaks of elements.
//
// A ref (e5) is what a snapshot prints. It stays with an element for as long as
// the element lives with the same role and name; when one of them changes the
// next snapshot gives a new ref and the old one is dead. A key (k5) names an
// element that was found in another way, for as long as it lives.

const REF = Symbol('ref');
const refTable = []; // number -> element; holes are refs that died
let lastRef = 0;

// refFor gives the number of el's ref, a new one when role or name are new.
function refFor(el, role, name) {
  const old = el[REF];
  if (old && old.role === role && old.name === name) return old.number;
  if (old) refTable[old.number] = undefined;
  const number = ++lastRef;
  el[REF] = { number, role, name };
  refTable[number] = el;
  return number;
}

// sweepRefs lets go of elements that left the document, so that the table does
// not keep them alive.
function sweepRefs() {
  for (let n = 1; n <= lastRef; n++) {
    const el = refTable[n];
    if (el && !isConnected(el)) refTable[n] = undefined;
  }
}

const REF_FORM = /^(?:f\d+)?e(\d+)$/;
const KEY_FORM = /^k(\d+)$/;

// refOf gives the ref that the last snapshot printed for el, without a frame's
// prefix; null for none.
P.refOf = (el) => {
  const r = el[REF];
  return r && refTable[r.number] === el ? 'e' + r.number : null;
};

const heldKeys = new WeakMap(); // element -> number
const held = []; // number -> WeakRef
const HELD_MAX = 5000; // then the keys of the dead are swept

// keep gives a key for el.
P.keep = (el) => {
  let n = heldKeys.get(el);
  if (n === undefined) {
    if (held.length && held.length % HELD_MAX === 0) {
      held.forEach((ref, i) => ref && !ref.deref() && (held[i] = undefined));
    }
    n = held.push(new WeakRef(el)) - 1;
    heldKeys.set(el, n);
  }
  return 'k' + n;
};

// elementOf finds the element of a ref or key: {el}, or {gone} when it was one
// of ours and its element has left the page or changed what it is, or
// {unknown} when it never was.
P.elementOf = (name) => {
  const m = REF_FORM.exec(name) || null;
  const k = m ? null : KEY_FORM.exec(name);
  if (!m && !k) return { unknown: true };
  const n = Number((m || k)[1]);
  if (m ? n < 1 || n > lastRef : n >= held.length) return { unknown: true };
  const el = m ? refTable[n] : held[n] && held[n].deref();
  return el && isConnected(el) ? { el } : { gone: true };
};
