// Names that HTML and SVG give: labels, legends, captions, alternative texts,
// and the values of controls inside of a label.

const NO_LABELS = [];

// labelsOf gives the labels of a control. The DOM's own list of them looks
// through the whole tree for each control; this looks once per tree and run.
function labelsOf(el) {
  const root = treeRootOf(el);
  if (!root) return NO_LABELS;
  run.labels ||= new Map();
  let labels = run.labels.get(root);
  if (!labels) {
    labels = new Map();
    for (const label of labelsIn(root)) {
      const control = label.control;
      if (!control) continue;
      const known = labels.get(control);
      if (known) known.push(label);
      else labels.set(control, [label]);
    }
    run.labels.set(root, labels);
  }
  return labels.get(el) || NO_LABELS;
}

// Input types whose placeholder may name them.
const PLACEHOLDER_TYPES = new Set(['text', 'password', 'number', 'search', 'tel', 'email', 'url']);

const firstText = (el, ...names) => {
  for (const name of names) {
    const v = attr(el, name);
    if (v && v.trim()) return v;
  }
  return '';
};

// nativeName gives the name by the element's own means; undefined when it has
// none to offer and the computation goes on. referenced says that
// aria-labelledby points somewhere, which most means give way to.
function nativeName(el, tag, referenced, ctx, within, job, depth) {
  const said = (text) => {
    mark(job, el);
    return part(text, el);
  };
  const byLabels = (otherwise) => {
    mark(job, el);
    const labels = labelsOf(el);
    return labels.length ? fromLabels(labels, job, depth) : otherwise && otherwise();
  };
  const byChild = (name, context = NATIVE, hidden = HIDDEN_NATIVE) => {
    mark(job, el);
    const child = childNamed(el, name);
    if (!child) return undefined;
    const bits = context | (hiddenForAria(child, lookAt(child)) ? hidden : 0);
    return alternative(child, (within & ~(context | hidden)) | bits, job, depth + 1);
  };
  switch (tag) {
    case 'input':
      return inputName(el, referenced, ctx, said, byLabels);
    case 'button':
      return referenced ? undefined : byLabels();
    case 'output':
      return referenced ? undefined : byLabels(() => said(attr(el, 'title')));
    case 'textarea':
      return referenced ? undefined : byLabels(() => said(attr(el, 'title') || attr(el, 'placeholder')));
    case 'select': case 'meter': case 'progress':
      return referenced ? undefined : byLabels(() => said(attr(el, 'title')));
    case 'fieldset':
      return referenced ? undefined : byChild('legend') || said(attr(el, 'title'));
    case 'figure':
      return referenced ? undefined : byChild('figcaption') || said(attr(el, 'title'));
    case 'img': case 'area':
      return said(firstText(el, 'alt') || attr(el, 'title'));
    case 'table':
      return byChild('caption') || (attr(el, 'summary') ? said(attr(el, 'summary')) : undefined);
  }
  if (!(el instanceof SVGElement) || (tag !== 'svg' && !el.ownerSVGElement)) return undefined;
  const title = byChild('title', BY, HIDDEN_BY);
  if (title) return title;
  const linked = tag === 'a' && el.ownerSVGElement ? firstText(el, 'xlink:title') : '';
  return linked ? said(linked) : undefined;
}

function childNamed(el, name) {
  for (let c = firstElementChild(el); c; c = nextElementSibling(c)) {
    if (localName(c) === name && (name !== 'title' || c instanceof SVGElement)) return c;
  }
  return null;
}

function inputName(el, referenced, ctx, said, byLabels) {
  switch (el.type) {
    case 'button':
      return said(el.value.trim() ? el.value : attr(el, 'title'));
    case 'submit':
      return said(el.value.trim() ? el.value : 'Submit');
    case 'reset':
      return said(el.value.trim() ? el.value : 'Reset');
    case 'file':
      if (!(ctx & BY) && labelsOf(el).length) return byLabels();
      return said('Choose File');
    case 'image':
      if (!(ctx & BY) && labelsOf(el).length) return byLabels();
      return said(firstText(el, 'alt', 'title') || 'Submit');
  }
  if (referenced) return undefined;
  return byLabels(() => said(attr(el, 'title') || (PLACEHOLDER_TYPES.has(el.type) ? attr(el, 'placeholder') : '')));
}

// embeddedValue gives what a control inside of a name adds to it: its value,
// not its label. undefined for everything that is no such control.
function embeddedValue(el, tag, role, ctx, job, depth) {
  switch (role) {
    case 'textbox': case 'searchbox':
      mark(job, el);
      return part(tag === 'input' || tag === 'textarea' ? shownValue(el) : textContent(el), el);
    case 'combobox': case 'listbox': {
      mark(job, el);
      const chosen = tag === 'select' ? chosenOptions(el) : chosenIn(el, role);
      if (!chosen.length && tag === 'input') return part(shownValue(el), el);
      return join(chosen.map((o) => alternative(o, ctx, job, depth + 1)), ' ');
    }
    case 'progressbar': case 'scrollbar': case 'slider': case 'spinbutton': case 'meter':
      mark(job, el);
      return part(attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? attr(el, 'value'), el);
    case 'menu':
      mark(job, el);
      return NOTHING;
  }
  return undefined;
}

function chosenOptions(select) {
  const chosen = [...select.selectedOptions];
  return chosen.length || !select.options.length ? chosen : [select.options[0]];
}

// chosenIn finds the selected options of a list box that is made by hand, for a
// combobox in the list box that it holds or owns.
function chosenIn(el, role) {
  const box = role === 'combobox' ? insideOrOwned(el, '*').find((e) => roleOf(e, lookAt(e)) === 'listbox') : el;
  if (!box) return [];
  return insideOrOwned(box, '[aria-selected="true"]').filter((e) => roleOf(e, lookAt(e)) === 'option');
}

function insideOrOwned(el, css) {
  const hits = [...allIn(el, css)];
  for (const owned of idRefs(el, attr(el, 'aria-owns'))) {
    if (matching(owned, css)) hits.push(owned);
    hits.push(...allIn(owned, css));
  }
  return hits;
}

// Fields that hold, or once held, a secret. A page may turn a password field
// into a text field to show it; we go on hiding it.
const secretFields = new WeakSet();
const MASK = '\u2022\u2022\u2022\u2022\u2022\u2022\u2022\u2022';

// isSecret tells whether the value of el must not leave the page.
function isSecret(el) {
  if (localName(el) !== 'input') return false;
  if (el.type === 'password' || (/\b(?:current|new)-password\b/i.test(attr(el, 'autocomplete') || '') && !suggests(el))) secretFields.add(el);
  return secretFields.has(el);
}

// suggests: a search box or combobox. Kits say "new-password" there only to keep
// the browser's own suggestions away from theirs.
const suggests = (el) => el.type === 'search' || hasAttr(el, 'aria-autocomplete') || /^(?:combobox|searchbox)$/i.test((attr(el, 'role') || '').trim());
P.isSecret = isSecret;

// shownValue is the value of a field as it may be told: a secret one shows only
// whether it is empty.
const shownValue = (el) => (el.value && isSecret(el) ? MASK : el.value);
