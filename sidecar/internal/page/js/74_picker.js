// What Chromium draws in windows of its own, which pictures of the page lack: the
// list of a <select>, the date, time and colour pickers. And what is selected.
{
  // What is told of a picker is bounded: it goes to people over a slow line.
  const MOST_OPTIONS = 2000;
  const LONGEST = 200;
  const MOST_COPIED = 100000;
  const cut = (text) => text.slice(0, LONGEST);

  const KINDS = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color']);
  const FRAMES = new Set(['iframe', 'frame']);

  // focused is the element that has the focus, through shadow trees.
  const focused = () => {
    let el = activeOf(doc);
    for (;;) {
      const root = el && shadowOf(el);
      if (!root || !root.activeElement) return el;
      el = root.activeElement;
    }
  };

  // A <select> that the page has made of elements of its own is in the pictures.
  const opened = (el) =>
    !!el &&
    matching(el, ':open') &&
    (localName(el) === 'select' ? getComputedStyle(el).appearance !== 'base-select' : localName(el) === 'input' && KINDS.has(el.type));

  let shown = null; // the element whose picker was told of
  let number = 0; // of its opening
  let closing = null; // an element whose picker takes its time to close

  const optionsOf = (select) =>
    [...select.options].slice(0, MOST_OPTIONS).map((o) => {
      const group = parentElement(o);
      const grouped = !!group && localName(group) === 'optgroup';
      return { label: cut(Find.tidy(o.label || o.text)), group: grouped ? cut(group.label) : '', disabled: o.disabled || (grouped && group.disabled) };
    });

  // openPicker tells of the picker that is open; {frame} says that one may be open
  // in a frame below, {} that none is.
  P.openPicker = scoped(() => {
    const active = focused();
    const el = opened(active) ? active : [...doc.querySelectorAll('select:open, input:open')].find(opened);
    if (el && el === closing) return {};
    closing = null;
    if (!el) {
      shown = null;
      return { frame: !!active && FRAMES.has(localName(active)) };
    }
    if (el !== shown) number++;
    shown = el;
    const select = localName(el) === 'select';
    return {
      number,
      kind: select ? 'select' : el.type,
      label: cut(P.nameOf(el)),
      value: select ? '' : el.value,
      min: select ? '' : cut(el.min),
      max: select ? '' : cut(el.max),
      step: select ? '' : cut(el.step),
      selected: select ? el.selectedIndex : -1,
      options: select ? optionsOf(el) : [],
    };
  });

  // closePicker closes the picker of that number and gives its element what was
  // chosen: the option of an index, or a value; neither leaves it as it was. Its
  // own list may already have moved on by keys, so it closes first.
  P.closePicker = (which, index, value) => {
    const el = shown;
    if (!el || which !== number || !isConnected(el)) return {};
    const before = localName(el) === 'select' ? el.selectedIndex : el.value;
    shown = null;
    closing = el;
    el.blur();
    el.focus({ preventScroll: true });
    if (localName(el) === 'select') {
      const wanted = index === null ? before : index;
      const option = el.options[wanted];
      const off = !option || option.disabled || (localName(parentElement(option)) === 'optgroup' && parentElement(option).disabled);
      if (index !== null && off) return { error: 'This option can\u2019t be chosen' };
      if (el.selectedIndex !== wanted) {
        el.selectedIndex = wanted;
        Act.changed(el);
      }
      return {};
    }
    return value === null ? {} : { error: Act.assign(el, value).error };
  };

  // selection is the text that a person would copy, and whether this document has
  // the focus. Nothing of a password field is.
  P.selection = () => {
    const el = focused();
    const field = el && (localName(el) === 'textarea' || localName(el) === 'input');
    let text = '';
    if (!field) text = String(getSelection());
    else if (el.type !== 'password' && el.selectionStart !== null) text = el.value.slice(el.selectionStart, el.selectionEnd);
    return { focused: docHasFocus() && !(el && FRAMES.has(localName(el))), text: text.slice(0, MOST_COPIED) };
  };
}
