// Refs and other keys: names by which Go speaks of elements.
//
// A ref (e5) is what a snapshot prints. It stays with an element for as long as
// the element lives with the same role and name; when one of them changes the
// next snapshot gives a new ref and the old one is dead. A key (k5) names an
// element that was found in another way, for as long as it lives.

const REF = Symbol('ref');
const refTable = []; // number -> element; holes are refs that died
let lastRef = 0;

// Dead refs of elements that got a new one, so that we can say so. On a page
// that renames all the time it is emptied now and then.
const renamed = new Map();
const RENAMED_MAX = 10000;

// refFor gives the number of el's ref, a new one when role or name are new.
function refFor(el, role, name) {
  const old = el[REF];
  if (old && old.role === role && old.name === name) return old.number;
  const number = ++lastRef;
  if (old) {
    refTable[old.number] = undefined;
    if (renamed.size >= RENAMED_MAX) renamed.clear();
    renamed.set(old.number, number);
  }
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

// A world's documents are told apart by a word of chance: what Go asks of an
// element of one document must never meet an element of the next that has the
// same number.
let docKey = '';
function newDocument() {
  docKey = Math.floor(Math.random() * 2 ** 52).toString(36);
  refTable.fill(undefined);
}
newDocument();

const NAME_FORM = /^(?:(?:f\d+)?(e)|k)(\d+)(?:\.(\w+))?$/;

// refOf gives the ref that the last snapshot printed for el, without a frame's
// prefix; null for none.
P.refOf = (el) => {
  const r = el[REF];
  return r && refTable[r.number] === el ? 'e' + r.number : null;
};

const heldKeys = new WeakMap(); // element -> number
const held = []; // number -> WeakRef
const HELD_SWEEP = 5000; // keys, after which those of the dead are dropped

// keep gives a key for el.
P.keep = (el) => {
  let n = heldKeys.get(el);
  if (n === undefined) {
    if (held.length && held.length % HELD_SWEEP === 0) {
      held.forEach((ref, i) => ref && !ref.deref() && (held[i] = undefined));
    }
    n = held.push(new WeakRef(el)) - 1;
    heldKeys.set(el, n);
  }
  return 'k' + n + '.' + docKey;
};

// elementOf finds the element of a ref or key: {el}, or what is the matter:
// {navigated} when it belongs to an earlier document, {gone} when its element
// has left the page, {now} when the element has got a new ref since, {unknown}
// when it never was one.
P.elementOf = (name) => {
  const m = NAME_FORM.exec(name);
  if (!m) return { unknown: true };
  if (m[3] && m[3] !== docKey) return { navigated: true };
  const n = Number(m[2]);
  if (m[1] ? n < 1 || n > lastRef : n >= held.length) return { unknown: true };
  const el = m[1] ? refTable[n] : held[n] && held[n].deref();
  if (el && isConnected(el)) return { el };
  const now = m[1] && renamed.get(n);
  const other = now && refTable[now];
  return other && isConnected(other) ? { now: 'e' + now } : { gone: true };
};
