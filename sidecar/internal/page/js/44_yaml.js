// The text of a snapshot: YAML lists, one node a line. No text of the page can
// hold a line break here, so a page cannot write a line of its own.

// A plain scalar would be read as something else: when it is empty, starts with
// an indicator, holds ": " or " #", a brace, a backtick or a control character,
// starts or ends with white space...
const NEEDS_QUOTES = /^$|^[\s\-&*\],?!>|@"'#%[]|\s$|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{}`\n\r\u2028\u2029]|:(?:\s|$)|\s#/;
// ... or when it is a number or one of the words of YAML 1.1.
const WORDS = new Set(['y', 'n', 'yes', 'no', 'true', 'false', 'on', 'off', 'null']);
const MAYBE_NUMBER = /^[\d.+I]/;

function needsQuotes(s) {
  if (NEEDS_QUOTES.test(s)) return true;
  if (s.length <= 5 && WORDS.has(s.toLowerCase())) return true;
  return MAYBE_NUMBER.test(s) && !Number.isNaN(Number(s));
}

const ESCAPES = { '\\': '\\\\', '"': '\\"', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const hex = (c, width) => c.charCodeAt(0).toString(16).padStart(width, '0');
const escapeChar = (c) => ESCAPES[c] || (c < '\u0100' ? '\\x' + hex(c, 2) : '\\u' + hex(c, 4));

// quoted writes a value, in double quotes where it needs them.
const quoted = (s) => (needsQuotes(s) ? '"' + s.replace(/[\\"\x00-\x1f\x7f-\x9f\u2028\u2029]/g, escapeChar) + '"' : s);

// quotedKey writes a node's key, in single quotes where it needs them.
const quotedKey = (s) => (needsQuotes(s) ? "'" + s.replace(/'/g, "''") + "'" : s);

// yaml quotes a text both ways, for tests.
P.yaml = (text) => [quoted(text), quotedKey(text)];

// A longer name is not a name that anybody would say; the node's content tells
// it anyway.
const NAME_MAX = 900;

function statesText(el, role, active) {
  let s = '';
  if (CAN_CHECK.has(role)) s += flag('checked', checkedOf(el, role));
  if (CAN_DISABLE.has(role) && disabledOf(el, role)) s += ' [disabled]';
  if (CAN_EXPAND.has(role) && expandedOf(el)) s += ' [expanded]';
  if (active) s += ' [active]';
  if (CAN_BE_INVALID.has(role)) s += flag('invalid', invalidOf(el));
  if (HAS_LEVEL.has(role)) {
    const level = levelOf(el);
    if (level) s += ' [level=' + level + ']';
  }
  if (role === 'button') s += flag('pressed', pressedOf(el));
  if (CAN_SELECT.has(role) && selectedOf(el)) s += ' [selected]';
  return s;
}

const flag = (name, v) => (v === false ? '' : v === true ? ' [' + name + ']' : ' [' + name + '=' + v + ']');

// The share of a limited snapshot that one text may take, and what it may take
// at least.
const LONGEST_SHARE = 10;
const LONGEST_MIN = 500;
const longestText = ({ budget }) => (budget ? Math.max(Math.floor(budget / LONGEST_SHARE), LONGEST_MIN) : Infinity);

// Renderer writes the tree. The text is cut in pieces behind each iframe's key,
// where Go puts in what is in the frame.
class Renderer {
  constructor(options) {
    this.maxDepth = options.depth < 0 ? Infinity : options.depth;
    this.longest = longestText(options);
    this.boxes = options.boxes;
    this.prefix = options.prefix || '';
    this.max = options.max;
    this.lines = [];
    this.size = 0;
    this.pieces = [];
    this.frames = [];
    this.full = false; // the limit was reached; what follows is missing
  }

  line(text) {
    this.size += text.length + 1;
    if (this.size > this.max) this.full = true;
    else this.lines.push(text);
  }

  // clip shortens a text that would take most of a limited snapshot by itself.
  clip(text) {
    if (text.length <= this.longest) return text;
    return text.slice(0, this.longest) + '\u2026 (' + (text.length - this.longest) + ' more characters)';
  }

  key(node, inPointer) {
    let key = node.role;
    if (node.name && node.name.length <= NAME_MAX) key += ' ' + JSON.stringify(node.name).replaceAll('\x85', '\\u0085');
    key += node.states;
    if (node.concealed) key += ' [aria-hidden]';
    if (node.ref) {
      key += ' [ref=' + this.prefix + 'e' + node.ref + ']';
      if (node.pointer && !inPointer) key += ' [cursor=pointer]';
    }
    if (this.boxes) {
      const r = rectOf(node.el);
      key += ' [box=' + [r.x, r.y, r.width, r.height].map((v) => Math.round(v) || 0).join() + ']';
    }
    return key;
  }

  render(root) {
    // Work that waits, the next one last: an item of a list, its depth, and
    // whether something around it has told of the hand already.
    const todo = [];
    const push = (kids, depth, inPointer) => {
      for (let i = kids.length - 1; i >= 0; i--) todo.push({ item: kids[i], depth, inPointer });
    };
    if (root.kids) push(root.kids, 0, false);
    while (todo.length && !this.full) {
      const { item, depth, inPointer } = todo.pop();
      const indent = '  '.repeat(depth);
      if (typeof item === 'string') {
        this.line(indent + '- text: ' + quoted(this.clip(item)));
        continue;
      }
      if (item.omitted) {
        this.line(indent + '# \u2026 ' + item.omitted + ' more');
        continue;
      }
      const key = indent + '- ' + quotedKey(this.key(item, inPointer));
      if (item.frame !== null) {
        this.line(key);
        if (item.ref) this.endPiece(item, depth);
        continue;
      }
      const text = onlyText(item);
      const kids = depth === this.maxDepth && text === null ? null : item.kids;
      const props = item.url !== null || item.placeholder !== null;
      if (!props && text !== null) {
        this.line(key + ': ' + quoted(this.clip(text)));
        continue;
      }
      this.line(props || kids ? key + ':' : key);
      if (item.url !== null) this.line(indent + '  - /url: ' + quoted(item.url));
      if (item.placeholder !== null) this.line(indent + '  - /placeholder: ' + quoted(item.placeholder));
      if (kids) push(kids, depth + 1, inPointer || (item.ref > 0 && item.pointer));
    }
    this.pieces.push(this.lines.join('\n'));
  }

  endPiece(node, depth) {
    this.pieces.push(this.lines.join('\n'));
    this.lines = [];
    this.frames.push({ id: node.frame, depth });
  }
}
