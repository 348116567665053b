// Finding elements, part one: the text of elements as a reader sees it, and the
// patterns that it is compared with. The steps themselves are in 56.
const Find = {};
{
  const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head']);
  const BUTTON_INPUTS = new Set(['button', 'submit', 'reset']);

  // tidy makes white space comparable: one space for any run of it, none at the
  // ends, and without the characters that nobody sees.
  const tidy = (s) => s.replace(/[\u200b\u00ad]/g, '').replace(/\s+/g, ' ').trim();
  Find.tidy = tidy;

  // Texts remembers the text of elements for as long as one search takes.
  class Texts {
    constructor() {
      this.raw = new Map();
      this.tidied = new Map();
    }

    // rawOf joins all text under el, shadow trees included.
    rawOf(el) {
      let text = this.raw.get(el);
      if (text !== undefined) return text;
      text = '';
      const tag = localName(el);
      if (tag === 'input') {
        if (BUTTON_INPUTS.has(el.type)) text = el.value;
      } else if (!SILENT.has(tag)) {
        text = this.childrenOf(el);
        const root = shadowOf(el);
        if (root) text += this.childrenOf(root);
      }
      this.raw.set(el, text);
      return text;
    }

    childrenOf(parent) {
      let text = '';
      for (let n = firstChild(parent); n; n = nextSibling(n)) {
        const type = nodeType(n);
        if (type === TEXT) text += textData(n);
        else if (type === ELEMENT) text += this.rawOf(n);
      }
      return text;
    }

    of(el) {
      let text = this.tidied.get(el);
      if (text === undefined) this.tidied.set(el, (text = tidy(this.rawOf(el))));
      return text;
    }

    // ownOf gives the pieces of text that stand directly in el.
    ownOf(el) {
      if (localName(el) === 'input') return [this.of(el)];
      const pieces = [];
      let piece = '';
      for (let n = firstChild(el); n; n = nextSibling(n)) {
        if (nodeType(n) === TEXT) {
          piece += textData(n);
        } else if (nodeType(n) === ELEMENT && piece) {
          pieces.push(tidy(piece));
          piece = '';
        }
      }
      if (piece) pieces.push(tidy(piece));
      return pieces;
    }
  }
  Find.Texts = Texts;

  // pattern makes of {value, match, flags} an object with
  //   is(s): does this text match,
  //   on(el, texts): does the whole text of el match,
  //   within(el, texts): can something in el match at all.
  Find.pattern = (p) => {
    if (p.match === 'regex') {
      let re;
      try {
        re = new RegExp(p.value, p.flags || '');
      } catch (e) {
        throw new Find.Mistake(`/${p.value}/ is not a regular expression: ${e.message}`);
      }
      const is = (s) => re.test(s);
      return { is, on: (el, texts) => is(texts.of(el)), has: (el, texts) => is(texts.of(el)), within: () => true };
    }
    const value = tidy(p.value);
    if (p.match === 'exact' || p.match === 'own') {
      const is = (s) => s === value;
      const within = (el, texts) => texts.of(el).includes(value);
      const on = p.match === 'own' ? (el, texts) => texts.ownOf(el).some(is) : (el, texts) => is(texts.of(el));
      return { is, on, has: (el, texts) => is(texts.of(el)), within };
    }
    const lower = value.toLowerCase();
    const is = (s) => s.toLowerCase().includes(lower);
    const on = (el, texts) => is(texts.of(el));
    return { is, on, has: on, within: on };
  };

  // Mistake is an error of the one who wrote the selector.
  Find.Mistake = class extends Error {};

  // childElements calls fn for each element directly in el and in its shadow root.
  Find.childElements = (el, fn) => {
    const root = nodeType(el) === ELEMENT ? shadowOf(el) : null;
    for (const parent of root ? [root, el] : [el]) {
      for (let n = firstChild(parent); n; n = nextSibling(n)) {
        if (nodeType(n) === ELEMENT) fn(n);
      }
    }
  };

  // smallest tells whether the text of el matches and that of no child does.
  Find.smallest = (el, pattern, texts) => {
    if (SILENT.has(localName(el)) || !pattern.on(el, texts)) return false;
    let inner = false;
    Find.childElements(el, (c) => {
      inner ||= !SILENT.has(localName(c)) && pattern.on(c, texts);
    });
    return !inner;
  };

  // byText finds the smallest elements under root whose text matches.
  Find.byText = (root, pattern, texts) => {
    const found = [];
    const visit = (el) => {
      if (SILENT.has(localName(el)) || !pattern.within(el, texts)) return;
      if (Find.smallest(el, pattern, texts)) found.push(el);
      Find.childElements(el, visit);
    };
    Find.childElements(root, visit);
    return found;
  };
}
