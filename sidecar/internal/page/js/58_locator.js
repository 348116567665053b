// The locator that a person would write for an element, for the code that an
// answer shows and for telling several matches apart.
{
  // LOOK_BUDGET bounds the search for other matches of a candidate. On a page of
  // a hundred thousand elements the rest stays unseen, and a candidate that was
  // unique so far counts as unique: the code is for reading.
  const LOOK_BUDGET_MS = 10;
  const LONGEST = 80; // of a text that identifies something

  const quote = (s) => `'${s.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;

  // candidate pairs steps for our own search with their text as code.
  const byRole = (role, name, exact) => ({
    steps: [{ kind: 'role', role, text: name === null ? undefined : { value: name, match: exact ? 'exact' : '' } }],
    code: name === null ? `getByRole(${quote(role)})` : `getByRole(${quote(role)}, { name: ${quote(name)}${exact ? ', exact: true' : ''} })`,
  });
  const byText = (kind, method, value, exact) => ({
    steps: [{ kind, text: { value, match: exact ? 'exact' : '' } }],
    code: `${method}(${quote(value)}${exact ? ', { exact: true }' : ''})`,
  });
  const byCSS = (css) => ({ steps: [{ kind: 'css', css: [[{ native: css }]] }], code: `locator(${quote(css)})` });

  const short = (s) => s && s.length <= LONGEST;

  function* candidates(el) {
    const tag = localName(el);
    const id = attr(el, 'data-testid');
    if (short(id)) yield { ...byText('testid', 'getByTestId', id, true), code: `getByTestId(${quote(id)})` };
    const role = P.roleOf(el);
    const name = role && role !== 'generic' ? Find.tidy(P.nameOf(el)) : '';
    const named = role && !['generic', 'none', 'presentation', null].includes(role) && short(name);
    if (named) {
      yield byRole(role, name, false);
      yield byRole(role, name, true);
    }
    for (const [kind, method] of [['placeholder', 'getByPlaceholder'], ['label', 'getByLabel'], ['alt', 'getByAltText']]) {
      const value = kind === 'label' ? labelOf(el) : kind === 'alt' && tag !== 'img' && tag !== 'area' ? '' : Find.tidy(attr(el, kind) || '');
      if (!short(value)) continue;
      yield byText(kind, method, value, false);
      yield byText(kind, method, value, true);
    }
    const texts = new Find.Texts();
    // Text that is mostly that of elements inside names those, not el.
    const own = tag === 'select' || tag === 'input' ? 0 : texts.ownOf(el).join('').length;
    const text = own && own * 2 >= texts.of(el).length ? texts.of(el) : '';
    if (short(text)) {
      yield byText('text', 'getByText', text, false);
      yield byText('text', 'getByText', text, true);
    }
    const title = Find.tidy(attr(el, 'title') || '');
    if (short(title)) yield byText('title', 'getByTitle', title, false);
    const elementId = attr(el, 'id');
    if (short(elementId)) yield byCSS(`#${CSS.escape(elementId)}`);
    if (role && !['generic', 'none', 'presentation', 'paragraph', 'text'].includes(role)) yield byRole(role, null);
  }

  const labelOf = (el) => (el.labels && el.labels[0] ? Find.tidy(new Find.Texts().rawOf(el.labels[0])) : '');

  // matchesOf gives up to two elements that the candidate finds; it stops at the
  // deadline with what it has.
  const matchesOf = (candidate, deadline) => {
    if (performance.now() > deadline) return null;
    const s = candidate.steps[0];
    return s.kind === 'role' ? Find.byRole(doc, s, 2) : Find.run(candidate.steps).slice(0, 2);
  };

  // path names el by its place under the nearest ancestor with an id.
  const path = (el) => {
    const parts = [];
    for (let e = el; e; e = parentElement(e)) {
      const id = attr(e, 'id');
      if (short(id)) {
        parts.unshift(`#${CSS.escape(id)}`);
        break;
      }
      const tag = tagOf(e);
      const parent = parentElement(e);
      let nth = 0;
      let same = 0;
      if (parent) {
        for (let c = firstElementChild(parent); c; c = nextElementSibling(c)) {
          if (tagOf(c) !== tag) continue;
          same++;
          if (c === e) nth = same;
        }
      }
      parts.unshift(same > 1 ? `${CSS.escape(tag)}:nth-of-type(${nth})` : CSS.escape(tag));
    }
    return parts.join(' > ');
  };

  // locatorFor gives the first kind of locator that finds nothing but el.
  P.locatorFor = (el) =>
    P.batch(() => {
      const deadline = performance.now() + LOOK_BUDGET_MS;
      let spare = null;
      for (const candidate of candidates(el)) {
        const found = matchesOf(candidate, deadline);
        if (found === null) return spare ? `${spare.code}.first()` : candidate.code;
        if (found.length === 1 && found[0] === el) return candidate.code;
        if (found[0] === el) spare ||= candidate;
      }
      return spare ? `${spare.code}.first()` : `locator(${quote(path(el))})`;
    });
}
