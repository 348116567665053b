// Finding elements, part four: walking the steps of a selector.
{
  // MOST_LISTED is how many of several matches an error shows.
  const MOST_LISTED = 10;

  // xpath evaluates an expression against root, outside of shadow trees only:
  // XPath knows none.
  const xpath = (root, expression) => {
    const relative = nodeType(root) === DOCUMENT || !expression.startsWith('/') ? expression : `.${expression}`;
    let result;
    try {
      result = Document.prototype.evaluate.call(doc, relative, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    } catch (e) {
      throw new Find.Mistake(`${JSON.stringify(expression)} is not valid XPath`);
    }
    const found = [];
    for (let i = 0; i < result.snapshotLength; i++) {
      if (nodeType(result.snapshotItem(i)) === ELEMENT) found.push(result.snapshotItem(i));
    }
    return found;
  };

  const step = (set, s, search) => {
    const from = (fn) => (set.length === 1 ? fn(set[0]) : Find.inOrder(set.flatMap(fn)));
    const pattern = s.text && Find.pattern(s.text);
    switch (s.kind) {
      case 'css':
        return from((root) => search.all(root, s.css));
      case 'xpath':
        return from((root) => xpath(root, s.value));
      case 'text':
        return from((root) => Find.byText(root, pattern, search.texts));
      case 'role':
        return from((root) => Find.byRole(root, s));
      case 'label':
        return from((root) => Find.byLabel(root, pattern, search.texts));
      case 'placeholder':
      case 'alt':
      case 'title':
      case 'testid':
        return from((root) => Find.byAttribute(root, s.kind, pattern));
      case 'nth': {
        const n = s.n || 0;
        const el = set[n < 0 ? set.length + n : n];
        return el ? [el] : [];
      }
      case 'filter':
        return set.filter((el) => passes(el, s, pattern, search) !== !!s.not);
      case 'and': {
        const other = new Set(walk(s.has, [doc], search));
        return set.filter((el) => other.has(el));
      }
      case 'or':
        return Find.inOrder([...set, ...walk(s.has, [doc], search)]);
    }
    throw new Find.Mistake(`there is no step of the kind ${s.kind}`);
  };

  const passes = (el, s, pattern, search) => {
    if (pattern) return pattern.has(el, search.texts);
    if (s.has) return walk(s.has, [el], search).length > 0;
    return P.isVisible(el) === s.visible;
  };

  const walk = (steps, set, search) => {
    for (const s of steps) {
      // From nothing only an alternative leads on.
      if (!set.length && s.kind !== 'or') continue;
      set = step(set, s, search);
    }
    return set;
  };

  // run gives the elements that steps lead to, in page order.
  Find.run = (steps) => P.batch(() => walk(steps, [doc], new Find.Search(new Find.Texts())).filter((e) => e !== doc));

  // find looks for exactly one element. The answer is {count} with {key} when
  // there is one, {several} (a preview and a locator each) when there are more,
  // or {mistake} when the selector itself is wrong.
  P.find = (steps) => {
    let list;
    try {
      list = Find.run(steps);
    } catch (e) {
      if (e instanceof Find.Mistake) return { count: 0, mistake: e.message };
      throw e;
    }
    if (list.length === 0) return { count: 0 };
    if (list.length === 1) return { count: 1, key: P.keep(list[0]) };
    return {
      count: list.length,
      several: list.slice(0, MOST_LISTED).map((el) => ({ preview: P.describe(el), locator: P.locatorFor(el) })),
    };
  };

  // isElement tells whether a key or ref names el.
  P.isElement = (el, name) => P.elementOf(name).el === el;

  // count is how many elements steps lead to that are seen (or all of them).
  P.count = (steps, seenOnly) => {
    const list = Find.run(steps);
    return seenOnly ? list.filter((el) => P.isVisible(el)).length : list.length;
  };
}
