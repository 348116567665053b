// Finding elements, part two: CSS that crosses shadow roots and knows
// :has-text, :text, :visible and :nth-match. Go has taken the selector apart
// (package selector); the native parts are matched by the browser.
{
  const allUnder = (root, css) => {
    const type = nodeType(root);
    const proto = type === ELEMENT ? Element : type === DOCUMENT ? Document : DocumentFragment;
    try {
      return proto.prototype.querySelectorAll.call(root, css);
    } catch (e) {
      throw new Find.Mistake(`${JSON.stringify(css)} is not valid CSS`);
    }
  };

  const isNative = (el, css) => {
    if (!css) return true;
    try {
      return matching(el, css);
    } catch (e) {
      throw new Find.Mistake(`${JSON.stringify(css)} is not valid CSS`);
    }
  };

  // treesUnder gives root and every shadow root under it, outer ones first.
  const treesUnder = (root) => {
    const trees = [root];
    if (nodeType(root) === ELEMENT && shadowOf(root)) trees.push(shadowOf(root));
    for (let i = 0; i < trees.length; i++) {
      for (const el of allUnder(trees[i], '*')) {
        const shadow = shadowOf(el);
        if (shadow) trees.push(shadow);
      }
    }
    return trees;
  };

  // inOrder sorts elements as they stand in the page, shadow trees before the
  // light children of their host.
  Find.inOrder = (elements) => {
    const list = [...new Set(elements)];
    if (list.length < 2) return list;
    const home = treeRootOf(list[0]);
    if (list.every((el) => treeRootOf(el) === home)) {
      return list.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    }
    const wanted = new Set(list);
    const sorted = [];
    const visit = (el) => {
      if (wanted.has(el)) sorted.push(el);
      if (sorted.length < wanted.size) Find.childElements(el, visit);
    };
    Find.childElements(doc, visit);
    return sorted;
  };

  // under gives all elements under root that match css, in any tree.
  Find.under = (root, css) => {
    const trees = treesUnder(root);
    if (trees.length === 1) return [...allUnder(root, css)];
    return Find.inOrder(trees.flatMap((tree) => [...allUnder(tree, css)]));
  };

  const plainText = (list) =>
    list.map((complex) => complex.map((c) => `${c.comb && c.comb !== ' ' ? c.comb : ' '}${c.native || '*'}`).join(' ')).join(',');
  const isPlain = (list) => list.every((complex) => complex.every((c, i) => !c.tests && !(i === 0 && c.comb)));

  // Search holds what may be remembered during one search.
  class Search {
    constructor(texts) {
      this.texts = texts;
      this.patterns = new Map(); // text of a test -> pattern
      this.nth = new Map(); // nth-match test -> elements
    }

    all(root, list) {
      const trees = treesUnder(root);
      if (isPlain(list) && trees.length === 1) return [...allUnder(root, plainText(list))];
      const found = [];
      for (const complex of list) {
        const last = complex[complex.length - 1];
        for (const tree of trees) {
          for (const el of allUnder(tree, last.native || '*')) {
            if (this.complex(el, complex, complex.length - 1, root)) found.push(el);
          }
        }
      }
      return list.length === 1 && trees.length === 1 ? found : Find.inOrder(found);
    }

    any(el, list) {
      return list.some((complex) => this.complex(el, complex, complex.length - 1, null));
    }

    // complex matches from compound i to the left; anchor is what a combinator
    // in front of the first compound refers to.
    complex(el, complex, i, anchor) {
      const compound = complex[i];
      if (!isNative(el, compound.native)) return false;
      if (compound.tests && !compound.tests.every((t) => this.test(el, t))) return false;
      const comb = compound.comb;
      if (i === 0 && !comb) return true;
      const matches = (e) => (i === 0 ? e === anchor : this.complex(e, complex, i - 1, anchor));
      switch (comb) {
        case '>': {
          const parent = parentOrHost(el);
          if (i === 0 && anchor === doc) return el === doc.documentElement;
          return !!parent && matches(parent);
        }
        case '+': {
          const previous = previousElementSibling(el);
          return !!previous && matches(previous);
        }
        case '~':
          for (let e = previousElementSibling(el); e; e = previousElementSibling(e)) {
            if (matches(e)) return true;
          }
          return false;
      }
      for (let e = parentOrHost(el); e; e = parentOrHost(e)) {
        if (matches(e)) return true;
      }
      return i === 0 && anchor === doc;
    }

    test(el, t) {
      switch (t.name) {
        case 'has-text':
          return this.patternOf(t).has(el, this.texts);
        case 'text':
          return Find.smallest(el, this.patternOf(t), this.texts);
        case 'visible':
          return P.isVisible(el);
        case 'is':
          return this.any(el, t.list);
        case 'not':
          return !this.any(el, t.list);
        case 'has':
          return this.has(el, t.list);
        case 'nth-match': {
          let list = this.nth.get(t);
          if (!list) this.nth.set(t, (list = this.all(doc, t.list)));
          return list[t.n - 1] === el;
        }
      }
      return false;
    }

    patternOf(t) {
      let p = this.patterns.get(t);
      if (!p) this.patterns.set(t, (p = Find.pattern(t.text)));
      return p;
    }

    // has matches selectors relative to el; siblings are looked for around it.
    has(el, list) {
      return list.some((complex) => {
        const beside = complex[0].comb === '+' || complex[0].comb === '~';
        const root = beside ? parentOrHost(el) || el : el;
        const relative = complex[0].comb ? complex : [{ ...complex[0], comb: ' ' }, ...complex.slice(1)];
        const last = relative[relative.length - 1];
        return treesUnder(root).some((tree) =>
          [...allUnder(tree, last.native || '*')].some((e) => e !== el && this.complex(e, relative, relative.length - 1, el)),
        );
      });
    }
  }
  Find.Search = Search;
}
