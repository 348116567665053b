// The tree that a snapshot prints, built in one walk over the flat tree. A node
// is decided on when the walk leaves it: by then all that is inside of it is
// known, and what can be left out of it is left out.

class TreeNode {
  constructor(parent, role, name, el) {
    this.parent = parent;
    this.role = role;
    this.name = name;
    this.el = el;
    this.kids = null; // strings and nodes
    this.text = ''; // raw text since the last kid
    this.ref = 0;
    this.depth = parent ? parent.depth + 1 : -1; // counted with the nodes that are left out later
    this.pointer = false; // the cursor over it is a hand
    this.inPointer = parent ? parent.inPointer || (parent.ref > 0 && parent.pointer) : false;
    this.active = false;
    this.concealed = false; // says aria-hidden
    this.url = null;
    this.placeholder = null;
    this.states = '';
    this.branched = false; // had nodes inside
    this.entered = 0;
    this.settled = -1; // when it was last accounted for; see dropName
    this.frame = null; // id of the frame inside, '' when we were not told
  }
}

// What a single text may hold: a page with more in one place is not read by
// anybody, and one that is made to be huge must not take us down.
const TEXT_MAX = 1 << 20;

// Roughly what a node's line takes besides its name.
const NODE_SIZE = 40;

// Over the budget: elements that are still looked at in a list, levels that
// count as outer ones, and how many times the budget the walk may take in all.
const LIST_HEAD = 50;
const OUTER_LEVELS = 6;
const OVER_MAX = 8;

class TreeBuilder {
  constructor(options) {
    this.maxDepth = options.depth < 0 ? Infinity : options.depth;
    this.clock = 0; // counts entries and exits
    this.root = new TreeNode(null, 'fragment', '', null);
    this.owns = false; // met an aria-owns, so an element may come by twice
    this.stack = [];
    this.budget = options.budget || Infinity;
    this.longest = longestText(options);
    this.size = 0; // of the text, roughly
    this.suspects = []; // may be hosts of closed shadow roots; see 48_closed
    const active = docHasFocus() ? activeOf(doc) : null;
    this.active = active;
  }

  build(rootElement) {
    this.enter(rootElement, this.root);
    const stack = this.stack;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const child = this.size > this.budget && this.isEnough(top) ? null : top.next();
      if (child === null) {
        stack.pop();
        this.leave(top);
      } else if (nodeType(child) === TEXT) {
        if (top.visible && top.node.role !== 'textbox') {
          const text = textData(child);
          this.size += Math.min(text.length, this.longest);
          addText(top.node, text);
        }
      } else if (nodeType(child) === ELEMENT) {
        top.met++;
        this.enter(child, top.node);
      }
    }
    flush(this.root);
    return this.root;
  }

  // isEnough: over the budget the walk no longer looks at all of a long list,
  // and the further over, the less of each. What stands behind the lists of the
  // outer levels is still found, a dialog at the end of the page for instance.
  isEnough(visit) {
    const over = this.size / this.budget;
    const outer = this.stack.length <= OUTER_LEVELS;
    const enough = over > OVER_MAX ? 0 : outer || over < 2 ? LIST_HEAD : over < 3 ? 10 : 2;
    if (visit.met < enough) return false;
    const left = visit.rest();
    if (left === 0) return false;
    addKid(visit.node, { omitted: left });
    return true;
  }

  // enter starts el, whose parent in the tree is node.
  enter(el, node) {
    const look = lookAt(el);
    if (look.visited) return;
    look.visited = true;
    const display = displayOf(el, look);
    const block = (display !== 'inline' && display !== '') || localName(el) === 'br';
    if (display === 'none') {
      // Nothing in it can be seen, only that it stands between two texts.
      addText(node, ' ');
      return;
    }
    const visible = !hiddenForAria(el, look) || (boxOf(el, look) & PAINTED) !== 0;
    const own = visible ? this.nodeFor(el, look, node) : null;
    if (own) {
      node.branched = true;
      own.entered = ++this.clock;
    }
    const target = own || node;
    if (block) addText(target, ' ');
    if (visible) addText(target, beforeOf(el, look));
    this.stack.push(new Visit(el, look, own, target, visible, block));
  }

  leave(visit) {
    const { el, look, own, node, visible, block } = visit;
    if (visible) addText(node, afterOf(el, look));
    if (block) addText(node, ' ');
    addProperties(node, el);
    if (own) this.finish(own, look);
  }

  // nodeFor makes the node of a visible element, or null when its content
  // belongs to the node around it.
  nodeFor(el, look, parent) {
    const tag = localName(el);
    if (tag === 'iframe' || tag === 'frame') return this.frameNode(el, look, parent);
    const role = roleOf(el, look) || 'generic';
    if (isNone(role)) return null;
    // Text in an inline box without a meaning is text of the box around.
    const plain = role === 'generic' && holdsOneText(el);
    if (plain && displayOf(el, look) === 'inline' && isShown(el, look)) return null;
    const box = boxOf(el, look);
    if (plain && box & INLINE) return null;
    const node = new TreeNode(parent, role, nameParts(el, look).text, el);
    this.size += NODE_SIZE + Math.min(node.name.length, NAME_MAX);
    node.active = el === this.active;
    node.concealed = saysHidden(el);
    if (box & PAINTED && look.hittable) {
      node.ref = refFor(el, role, node.name);
      node.pointer = look.pointer;
    }
    node.states = statesText(el, role, node.active);
    look.node = node;
    const value = fieldValue(el, tag);
    if (value) addText(node, value);
    suspect(this.suspects, el, look, tag, box);
    return node;
  }

  frameNode(el, look, parent) {
    const node = new TreeNode(parent, 'iframe', '', el);
    node.active = el === this.active;
    node.concealed = saysHidden(el);
    node.states = node.active ? ' [active]' : '';
    if (boxOf(el, look) & PAINTED) {
      node.ref = refFor(el, 'iframe', '');
      node.pointer = look.pointer;
    }
    node.frame = frameOf.get(el) || '';
    look.node = node;
    return node;
  }

  // finish decides what becomes of a node whose content is complete, and hands
  // the result to its parent.
  finish(node, look) {
    flush(node);
    const { parent, role } = node;
    // Unless it is a mere box with text or below the depth limit, the node is
    // itself a source that has been printed.
    const mere = role === 'generic' && !node.branched;
    if (!mere && node.depth <= this.maxDepth) node.settled = ++this.clock;
    if (node.kids && node.kids.length === 1 && node.kids[0] === node.name) node.kids = null;
    if (role === 'img' && !node.name && !node.kids && !isClickTarget(node)) return;
    if (node.ref && look.own) this.dropName(node, look);
    const generic = role === 'generic';
    if (generic) {
      takeOverText(node);
      if (repeats(node, parent)) {
        node.settled = -1;
        return;
      }
      // A box around one thing says nothing that the thing itself does not.
      const kid = node.kids && node.kids[0];
      const wraps = !node.kids ? !isClickTarget(node) : node.kids.length === 1 && typeof kid !== 'string' && kid.ref > 0;
      if (!node.name && wraps) {
        if (kid) addKid(parent, kid);
        return;
      }
    }
    addKid(parent, node);
  }

  // dropName takes the name off a node when all that it was made of is printed
  // below it anyway. A source counts as printed when it is more than a box with
  // text and within the depth limit; when an inner node has kept its name, that
  // name speaks for its sources.
  dropName(node, look) {
    if (look.own.from === null) return;
    const sources = [];
    collectSources(look.own.from, node, sources);
    if (!sources.length) return;
    if (sources.every((s) => s.settled > node.entered)) node.name = '';
    const now = ++this.clock;
    for (const s of sources) s.settled = now;
  }
}

const holdsOneText = (el) => {
  const c = firstChild(el);
  return c !== null && nodeType(c) === TEXT && nextSibling(c) === null;
};

function addText(node, text) {
  if (text !== '' && node.text.length < TEXT_MAX) node.text += text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) : text;
}

function flush(node) {
  if (node.text === '') return;
  const text = tidy(node.text);
  node.text = '';
  if (text === '') return;
  if (node.kids) node.kids.push(text);
  else node.kids = [text];
}

function addKid(node, kid) {
  flush(node);
  if (node.kids) node.kids.push(kid);
  else node.kids = [kid];
}

// isClickTarget: the outermost element of one that shows a hand, so what a
// person would click, even when it is empty.
const isClickTarget = (node) => node.ref > 0 && node.pointer && !node.inPointer;

const onlyText = (node) => (node.kids && node.kids.length === 1 && typeof node.kids[0] === 'string' ? node.kids[0] : null);

// takeOverText: a box around nothing but a box with text is the text's box.
function takeOverText(node) {
  if (node.concealed || !node.kids || node.kids.length !== 1) return;
  const kid = node.kids[0];
  if (typeof kid === 'string' || kid.role !== 'generic' || kid.name || kid.active || kid.concealed) return;
  if (onlyText(kid) !== null) node.kids = kid.kids;
}

// repeats: the box says only what the name of the node around it says.
function repeats(node, parent) {
  if (!parent.name || node.active || node.concealed) return false;
  const says = node.name ? (node.kids ? null : node.name) : onlyText(node);
  return says !== null && says === parent.name;
}

// collectSources lists the nodes, other than node itself, that the sources of a
// name have in the tree by now.
function collectSources(from, node, into) {
  const todo = [from];
  while (todo.length) {
    const item = todo.pop();
    if (Array.isArray(item)) {
      for (const i of item) todo.push(i);
      continue;
    }
    const look = run.looks.get(item);
    const source = look && look.node;
    if (source && source !== node && source.ref) into.push(source);
  }
}

// fieldValue is the value of a text-like control.
function fieldValue(el, tag) {
  if (tag === 'textarea') return el.value;
  if (tag !== 'input') return '';
  const type = el.type;
  return type === 'checkbox' || type === 'radio' || type === 'file' ? '' : shownValue(el);
}

// addProperties notes what el adds to a link or field that it is or belongs to.
function addProperties(node, el) {
  if (node.role === 'link') {
    const url = attr(el, 'href');
    if (url !== null) node.url = shortURL(url);
  } else if (node.role === 'textbox') {
    const hint = attr(el, 'placeholder');
    if (hint !== null && hint !== node.name) node.placeholder = hint;
  }
}

// shortURL leaves the data out of a data URL.
function shortURL(url) {
  const comma = url.startsWith('data:') ? url.indexOf(',') : -1;
  return comma < 0 ? url : url.slice(0, comma + 1) + '\u2026';
}
