// What one element looks like: style, box, visibility. Everything is asked from
// the engine once per run and element.

class Look {
  constructor() {
    this.display = undefined; // '' outside of the flat tree
    this.visible = false; // visibility: visible
    this.pointer = false; // the cursor over it is a hand
    this.hittable = false; // pointer-events is not none
    this.content = ''; // the content property, '' when it is what it is for most
    this.shown = undefined; // has a box and is visible
    this.chain = undefined; // taken out of the accessibility tree, here or above
    this.aria = undefined; // hidden from the accessibility tree
    this.disabled = undefined; // aria-disabled, here or around
    this.box = undefined; // 0 = nothing painted, else PAINTED | INLINE
    this.role = undefined;
    this.before = undefined; // text of ::before and ::after
    this.after = undefined;
    this.inner = undefined; // text alternative from content; see 30_names
    this.own = undefined; // the element's own name
    this.visited = false; // the walk has been here
    this.node = null; // the element's node in the tree that is being built
  }
}

const PAINTED = 1;
const INLINE = 2;

// Nesting of display: contents that is followed for "is anything in it seen";
// deeper than this it counts as seen. Keeps hostile pages off our stack.
const CONTENTS_DEPTH = 200;

function lookAt(el) {
  let look = run.looks.get(el);
  if (look === undefined) {
    look = new Look();
    run.looks.set(el, look);
  }
  return look;
}

// readStyle takes what we need from the style and lets go of it: a style object
// for each element is more than all the rest of a large page.
function readStyle(el, look) {
  const style = getComputedStyle(el);
  look.display = style.display;
  look.visible = style.visibility === 'visible';
  look.pointer = style.cursor === 'pointer';
  look.hittable = style.pointerEvents !== 'none';
  const content = style.content;
  if (content !== 'normal' && content !== 'none') look.content = content;
}

function displayOf(el, look) {
  if (look.display === undefined) readStyle(el, look);
  return look.display;
}

function isShown(el, look) {
  if (look.shown === undefined) {
    if (look.display === undefined) readStyle(el, look);
    look.shown = look.visible && rendered(el);
  }
  return look.shown;
}

// Elements that hold code or inert content, never exposed.
const IGNORED = new Set(['style', 'script', 'noscript', 'template']);

const saysHidden = (el) => {
  const v = attr(el, 'aria-hidden');
  return v !== null && v.toLowerCase() === 'true';
};

// cutOff tells whether el or something around it is display: none, aria-hidden,
// or a light child of a shadow host that no slot takes.
function cutOff(el, look) {
  if (look.chain !== undefined) return look.chain;
  const path = [];
  let result = false;
  for (let e = el, l = look; e; e = parentOrHost(e), l = e && lookAt(e)) {
    if (l.chain !== undefined) {
      result = l.chain;
      break;
    }
    path.push(l);
    if (saysHidden(e) || displayOf(e, l) === 'none' || isUnslotted(e)) {
      result = true;
      break;
    }
  }
  for (const l of path) l.chain = result;
  return result;
}

function isUnslotted(el) {
  const parent = parentElement(el);
  return !!parent && shadowOf(parent) !== null && !slotOf(el);
}

// isTextPainted asks the layout, since a text node has no style of its own.
function isTextPainted(text) {
  const range = (run.range ||= new Range());
  range.selectNode(text);
  const r = range.getBoundingClientRect();
  return r.width > 0 && r.height > 0;
}

// hiddenForAria: not in the accessibility tree.
function hiddenForAria(el, look, depth = 0) {
  if (look.aria === undefined) look.aria = computeHidden(el, look, depth);
  return look.aria;
}

function computeHidden(el, look, depth) {
  const tag = localName(el);
  if (IGNORED.has(tag)) return true;
  const slot = tag === 'slot';
  if (!slot && displayOf(el, look) === 'contents') {
    // No box of its own: it is there as far as something in it is.
    if (depth > CONTENTS_DEPTH) return false;
    for (let c = firstChild(el); c; c = nextSibling(c)) {
      const type = nodeType(c);
      if (type === ELEMENT ? !hiddenForAria(c, lookAt(c), depth + 1) : type === TEXT && isTextPainted(c)) return false;
    }
    return true;
  }
  // The options of a closed <select> have no box and still are offered.
  const offered = slot || (tag === 'option' && closestTo(el, 'select') !== null);
  return (!offered && !isShown(el, look)) || cutOff(el, look);
}

// writesElsewhere: an editor that takes keys here and paints its text where it
// likes; its own box may be empty.
const writesElsewhere = (el) => el instanceof HTMLElement && editContextOf(el) !== null;

// boxOf gives PAINTED when something of el can be seen (size, not colour, not
// position) and INLINE when it flows with the text around it.
function boxOf(el, look, depth = 0) {
  if (look.box === undefined) look.box = computeBox(el, look, depth);
  return look.box;
}

function computeBox(el, look, depth) {
  const display = displayOf(el, look);
  if (display === 'contents') {
    if (depth > CONTENTS_DEPTH) return PAINTED;
    for (let c = firstChild(el); c; c = nextSibling(c)) {
      const type = nodeType(c);
      if (type === ELEMENT && boxOf(c, lookAt(c), depth + 1) & PAINTED) return PAINTED;
      if (type === TEXT && isTextPainted(c)) return PAINTED | INLINE;
    }
    return 0;
  }
  if (!isShown(el, look)) return 0;
  const r = rectOf(el);
  return ((r.width > 0 && r.height > 0) || writesElsewhere(el) ? PAINTED : 0) | (display === 'inline' ? INLINE : 0);
}

P.isVisible = scoped((el) => (boxOf(el, lookAt(el)) & PAINTED) !== 0);
P.isHiddenForAria = scoped((el) => hiddenForAria(el, lookAt(el)));
