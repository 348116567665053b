// Editing, part one: putting text into elements.
{
  const TYPED = new Set(['', 'email', 'number', 'password', 'search', 'tel', 'text', 'url']);
  const ASSIGNED = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week']);
  const EXAMPLES = {
    color: '#ff8800', date: '2026-01-31', time: '13:45', 'datetime-local': '2026-01-31T13:45', month: '2026-01', week: '2026-W05', range: 'a number in its range',
  };

  const changed = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  };
  Act.changed = changed;

  const valueOf = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');

  // assign gives a control without a text caret its value. What the control
  // would not take is an error, and leaves the old value.
  const assign = (el, text) => {
    const type = el.type;
    const value = type === 'color' ? text.trim().toLowerCase() : text.trim();
    const old = el.value;
    el.focus();
    valueOf.set.call(el, value);
    const taken = type === 'range' || type.startsWith('datetime') || type === 'time' ? sameValue(type, el.value, value) : el.value === value;
    if (!taken) {
      valueOf.set.call(el, old);
      const range = type === 'range' ? ` (from ${el.min || 0} to ${el.max || 100} in steps of ${el.step || 1})` : '';
      return { error: `Malformed value: an input of type "${type}" takes ${EXAMPLES[type]}${range}` };
    }
    if (value !== old) changed(el);
    return { done: true };
  };

  Act.assign = assign;

  // Browsers may drop seconds that are zero, or write a number differently.
  const sameValue = (type, got, want) =>
    got !== '' && (type === 'range' ? Number(got) === Number(want) : got.replace(/:00(\.0+)?$/, '') === want.replace(/:00(\.0+)?$/, '').replace(' ', 'T') || got === want);

  // Editors that keep their text elsewhere and read only keys, input and clipboard
  // events from the element that takes the focus; they must be asked to select all.
  const OWN_SELECTION = '.monaco-editor,.CodeMirror,.ace_editor,[aria-roledescription=editor]';

  const holdsFocus = (el) => {
    const root = treeRootOf(el);
    const active = root === doc ? activeOf(doc) : root && root.activeElement;
    return active === el || (!!active && el.contains(active)) || (!!active && active.isContentEditable && active.contains(el));
  };

  // Controls made of boxes that take a number by keys.
  const SLIDES = '[role=slider],[role=spinbutton],[role=scrollbar]';

  // edit focuses el and selects what text will replace. The answer is {insert}
  // when the text is to come as input now, {done} when it is in already, {keys}
  // when the selection needs a key press first, {slide} when it is a number to be
  // reached by keys, or {error}.
  const edit = (el, text) => {
    const tag = localName(el);
    if (tag === 'input') {
      const type = el.type;
      if (ASSIGNED.has(type)) return assign(el, text);
      if (type === 'file') return { error: 'Input of type "file" cannot be filled: click it and answer the file chooser with browser_file_upload' };
      if (!TYPED.has(type)) return { error: `Input of type "${type}" cannot be filled` };
      if (type === 'number' && text.trim() !== '' && Number.isNaN(Number(text.trim()))) return { error: 'Cannot type text into input[type=number]' };
    } else if (tag === 'select') {
      return { error: 'Element is a <select>: choose one of its options with browser_select_option' };
    } else if (writesElsewhere(el)) {
      el.focus();
      return holdsFocus(el) ? { keys: true } : { error: 'Element does not take the focus' };
    } else if (tag !== 'textarea' && !el.isContentEditable && matching(el, SLIDES)) {
      el.focus();
      return holdsFocus(el) ? { slide: true } : { error: 'Element does not take the focus' };
    } else if (tag !== 'textarea' && !el.isContentEditable) {
      return { error: 'Element is not an <input>, <textarea>, <select> or [contenteditable] element' };
    }
    el.focus();
    if (!holdsFocus(el)) return { error: 'Element does not take the focus' };
    if (tag === 'input' || tag === 'textarea') el.select();
    else selectContents(el);
    if (closestOver(el, OWN_SELECTION)) return { keys: true };
    if (text === '') {
      // No key event: the text goes in one piece, and so does its removal.
      Document.prototype.execCommand.call(doc, 'delete');
      return { done: true };
    }
    return { insert: true };
  };

  const selectContents = (el) => {
    const selection = getSelection();
    const range = new Range();
    range.selectNodeContents(el);
    selection.removeAllRanges();
    selection.addRange(range);
  };

  // A page that answers a key at all does so within so many frames.
  const SLIDE_FRAMES = 6;

  // slid gives a slider's {now, min, max}; null for what it does not say. It waits
  // a moment for now to be another than before.
  P.slid = async (el, before) => {
    const number = (name, otherwise) => {
      const v = attr(el, name);
      return v === null || v.trim() === '' || Number.isNaN(Number(v)) ? otherwise : Number(v);
    };
    for (let n = 0; number('aria-valuenow', null) === before && n < SLIDE_FRAMES; n++) await Act.frame();
    return { now: number('aria-valuenow', null), min: number('aria-valuemin', 0), max: number('aria-valuemax', 100) };
  };

  // paste offers text to an editor that keeps its text elsewhere, as the clipboard
  // would. What comes as input such an editor takes for typing: it indents lines
  // and closes brackets by itself. {done} when it took the text and has had time to
  // draw it: until then it reads the next key with the old text in mind.
  P.paste = async (el, text) => {
    const target = editableOf(Act.controlOf(el));
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const taken = !target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }));
    if (taken) await Act.frame();
    if (taken) await Act.frame();
    return { done: taken };
  };

  const EDITABLE = ['visible', 'enabled', 'editable'];

  // fill waits until el can be edited, for o.budget milliseconds, then does the
  // first half of putting o.text into it; see edit. The answers of ready are
  // possible, too.
  P.fill = async (el, { text, budget }) => {
    const wait = await P.ready(el, { need: EDITABLE, budget });
    if (wait.gone || wait.stopped || wait.late) return wait;
    const control = Act.controlOf(el);
    const answer = edit(editableOf(control), text);
    // Editors learn of a selection from an event that comes with a later task.
    if (answer.insert && control.isContentEditable) await Act.frame();
    return answer;
  };

  // editableOf finds the one editable element inside of a wrapper such as a
  // custom field with the text box in its shadow tree.
  const editableOf = (el) => {
    const tag = localName(el);
    if (tag === 'input' || tag === 'textarea' || tag === 'select' || el.isContentEditable || writesElsewhere(el)) return el;
    const inner = Find.under(el, 'input:not([type=hidden]),textarea,[contenteditable=""],[contenteditable=true]').filter((e) => P.isVisible(e));
    return inner.length === 1 ? inner[0] : el;
  };

  // focus waits until el can take keys and focuses it, the caret at the end when
  // it was not there before.
  P.focus = async (el, { budget }) => {
    const wait = await P.ready(el, { need: ['visible', 'enabled'], budget });
    if (wait.gone || wait.stopped || wait.late) return wait;
    const control = editableOf(Act.controlOf(el));
    if (holdsFocus(control)) return { done: true };
    control.focus();
    if (!holdsFocus(control)) return { error: 'Element does not take the focus' };
    const tag = localName(control);
    if (tag === 'textarea' || (tag === 'input' && TYPED.has(control.type))) {
      if (control.selectionStart !== null) control.setSelectionRange(control.value.length, control.value.length);
    } else if (control.isContentEditable) {
      selectContents(control);
      getSelection().collapseToEnd();
    }
    return { done: true };
  };
}
