// Accessible names, as accname 1.2 computes them. Names carry their sources:
// the elements whose text they are made of, so that the snapshot can leave out
// a name that its own children repeat.

// Where in the computation an element is met; bits that add up.
const SELF = 1; // it is the one to be named
const DESC = 2; // it is inside the one to be named
const BY = 4; // it is or is inside an aria-labelledby reference
const LABEL = 8; // ... a native label
const NATIVE = 16; // ... a legend, caption or title
const HIDDEN_BY = 32; // and that reference is hidden, so what is in it counts
const HIDDEN_LABEL = 64;
const HIDDEN_NATIVE = 128;
const IN_HIDDEN = HIDDEN_BY | HIDDEN_LABEL | HIDDEN_NATIVE;

// A part of a name: its text and its sources, an element or nested lists.
const NOTHING = { text: '', from: null };
const part = (text, el) => (text ? { text, from: el } : NOTHING);

// Content that refers out of itself depends on the way it was reached, so what
// was computed once cannot be used again.
const ENTANGLED = { text: '', from: null };

// Limits against pages that are made to be slow: nesting that is followed for a
// name, and steps for all names of a run (ten times a page of 100,000 nodes).
const NAME_DEPTH = 300;
const NAMING_BUDGET = 4e6;

const MESSY = /[\u200b\u00ad]|\s\s|[^\S ]|^\s|\s$/;

// tidy collapses white space and drops what shows nothing.
const tidy = (s) => (MESSY.test(s) ? s.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ') : s);

// nameParts gives the name of el with its sources.
function nameParts(el, look) {
  if (look.own !== undefined) return look.own;
  const role = roleOf(el, look);
  if (NAMELESS.has(role) || (role === '' && !mayHaveName(el))) return (look.own = NOTHING);
  let job = { seen: null, entangled: false, cut: false };
  let found = alternative(el, SELF, job, 0);
  if (job.entangled) {
    // Once more, with the memory of what was visited that accname asks for.
    job = { seen: new Set(), entangled: false, cut: false };
    found = alternative(el, SELF, job, 0);
  }
  run.naming += found.text.length >> 6;
  return (look.own = found.text ? { text: tidy(found.text), from: found.from } : NOTHING);
}

// mayHaveName spares the computation for elements without a role, most of a
// page.
function mayHaveName(el) {
  if (hasAttr(el, 'aria-label') || hasAttr(el, 'aria-labelledby') || hasAttr(el, 'title')) return true;
  const tag = localName(el);
  return tag === 'summary' || tag === 'area' || tag === 'input' || el instanceof SVGElement;
}

P.nameOf = scoped((el) => nameParts(el, lookAt(el)).text);

// join puts parts together.
function join(parts, separator) {
  const text = parts.map((p) => p.text).join(separator);
  const from = parts.map((p) => p.from).filter(Boolean);
  return { text, from: from.length ? from : null };
}

const mark = (job, el) => {
  if (job.seen) job.seen.add(el);
};

// referenced gives the elements of aria-labelledby; null when there are none.
function referenced(el) {
  const ids = attr(el, 'aria-labelledby');
  if (ids === null) return null;
  const refs = idRefs(el, ids);
  return refs.length ? refs : null;
}

// alternative computes the text alternative of el as it counts in ctx.
function alternative(el, ctx, job, depth) {
  if (job.entangled || (job.seen && job.seen.has(el)) || ++run.naming > NAMING_BUDGET) return NOTHING;
  if (depth > NAME_DEPTH) {
    job.cut = true;
    return part(textContent(el), el);
  }
  const look = lookAt(el);
  const tag = localName(el);
  if (ctx & IN_HIDDEN ? IGNORED.has(tag) : hiddenForAria(el, look)) {
    mark(job, el);
    return NOTHING;
  }

  const refs = referenced(el);
  if (refs && !(ctx & BY)) {
    const found = fromReferences(refs, job, depth);
    if (found.text || job.entangled) return found;
  }

  const role = roleOf(el, look);
  const within = ctx & SELF ? ctx ^ (SELF | DESC) : ctx;
  if (ctx & (LABEL | BY | DESC) && !(refs && refs.includes(el))) {
    const value = embeddedValue(el, tag, role, within, job, depth);
    if (value) return value;
  }

  const label = attr(el, 'aria-label');
  if (label && label.trim()) {
    mark(job, el);
    return part(label, el);
  }

  if (!isNone(role)) {
    const native = nativeName(el, tag, refs !== null, ctx, within, job, depth);
    if (native) return native;
  }

  const fromContent =
    ctx & (BY | LABEL | NATIVE) ||
    NAMED_BY_CONTENT.has(role) ||
    (ctx & DESC && LENDS_CONTENT.has(role)) ||
    (tag === 'summary' && !isNone(role));
  mark(job, el);
  if (fromContent) {
    const found = contentOf(el, look, within, job, depth);
    if (ctx & SELF ? found.text.trim() : found.text) return { text: found.text, from: found.from ? [el, found.from] : el };
  }

  if (!isNone(role) || tag === 'iframe' || tag === 'frame') {
    const title = attr(el, 'title');
    if (title && title.trim()) return part(title, el);
  }
  return NOTHING;
}

function fromReferences(refs, job, depth) {
  if (!job.seen) {
    job.entangled = true;
    return NOTHING;
  }
  const one = (ref) => alternative(ref, BY | (hiddenForAria(ref, lookAt(ref)) ? HIDDEN_BY : 0), job, depth + 1);
  return join(refs.map(one), ' ');
}

function fromLabels(labels, job, depth) {
  if (!job.seen) {
    job.entangled = true;
    return NOTHING;
  }
  const one = (label) => alternative(label, LABEL | (hiddenForAria(label, lookAt(label)) ? HIDDEN_LABEL : 0), job, depth + 1);
  return join(labels.map(one).filter((p) => p.text), ' ');
}

// contentOf puts together what is inside el: generated text, children (or what
// stands in their place), owned elements.
function contentOf(el, look, ctx, job, depth) {
  const reusable = ctx === DESC && !job.seen;
  if (reusable && look.inner !== undefined) {
    if (look.inner === ENTANGLED) job.entangled = true;
    return look.inner;
  }
  const from = [];
  let text = beforeOf(el, look);
  const add = (node, owned) => {
    if (nodeType(node) === TEXT) text += textData(node);
    if (nodeType(node) !== ELEMENT) return;
    const found = alternative(node, ctx, job, depth + 1);
    if (found.from) from.push(found.from);
    const flows = displayOf(node, lookAt(node)) === 'inline' || displayOf(node, lookAt(node)) === '';
    text += flows && localName(node) !== 'br' ? found.text : ' ' + found.text + ' ';
  };
  const replaced = ownContentAlt(el, look);
  if (replaced !== undefined) text += replaced;
  else contentNodes(el, job, add);
  text += afterOf(el, look);
  const whole = { text, from: from.length > 1 ? from : from[0] || null };
  if (job.entangled) {
    if (reusable) look.inner = ENTANGLED;
    return NOTHING;
  }
  if (reusable && !job.cut) look.inner = whole;
  return whole;
}

function contentNodes(el, job, add) {
  const assigned = localName(el) === 'slot' ? el.assignedNodes() : [];
  if (assigned.length) {
    for (const n of assigned) add(n);
    return;
  }
  const shadow = shadowOf(el);
  for (let c = firstChild(el); c && !job.entangled; c = nextSibling(c)) {
    if (!shadow || (!slotOf(c) && openShadowRoot(el))) add(c);
  }
  if (shadow) {
    for (let c = shadow.firstChild; c && !job.entangled; c = nextSibling(c)) add(c);
  }
  if (hasAttr(el, 'aria-owns')) {
    if (!job.seen) job.entangled = true;
    else for (const owned of idRefs(el, attr(el, 'aria-owns'))) if (!slotOf(owned)) add(owned);
  }
}
