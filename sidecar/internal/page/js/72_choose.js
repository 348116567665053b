// Editing, part two: options of a <select>, and what can be checked.
{
  const labelOf = (option) => Find.tidy(option.label || option.text);

  const isOff = (option) => option.disabled || (localName(parentElement(option) || option) === 'optgroup' && parentElement(option).disabled);

  // pick finds the option for each wanted value: by its value, by its label,
  // then by a label in another case. {options} or {missing} or {off}.
  const pick = (select, wanted) => {
    const options = [...select.options];
    const chosen = [];
    const missing = [];
    for (const value of wanted) {
      const label = Find.tidy(value);
      const option =
        options.find((o) => o.value === value) ||
        options.find((o) => labelOf(o) === label) ||
        options.find((o) => labelOf(o).toLowerCase() === label.toLowerCase());
      if (!option) missing.push(value);
      else if (isOff(option)) return { off: labelOf(option) };
      else chosen.push(option);
    }
    return missing.length ? { missing } : { options: chosen };
  };

  // MOST_NAMED bounds how many options an error lists.
  const MOST_NAMED = 20;
  const named = (select) => {
    const labels = [...select.options].map((o) => JSON.stringify(labelOf(o)));
    return labels.slice(0, MOST_NAMED).join(', ') + (labels.length > MOST_NAMED ? ` and ${labels.length - MOST_NAMED} more` : '');
  };

  // choose waits until a <select> is usable and has the options of o.values, selects
  // them in place of what was selected, and tells the page as a person's choice
  // would. The answer is {selected} (their values), {error}, or one of ready's.
  P.choose = async (el, { values: wanted, budget }) => {
    const until = performance.now() + budget;
    const wait = await P.ready(el, { need: ['visible', 'enabled'], budget });
    if (wait.gone || wait.stopped || wait.late) return wait;
    const { stops } = Act;
    const select = Act.controlOf(el);
    if (localName(select) !== 'select') return { error: 'Element is not a <select> element: click it, then click one of the options that it shows' };
    const log = new Act.Log();
    for (;;) {
      if (stops !== Act.stops) return { stopped: true };
      if (!isConnected(select)) return { gone: true, log: log.lines() };
      const problem = Act.problem(select, ['visible', 'enabled']);
      const found = problem ? {} : pick(select, wanted);
      if (found.options) {
        if (!select.multiple && found.options.length > 1) {
          return { error: `Element is not a <select multiple>: it takes one option, not ${found.options.length}` };
        }
        return { selected: apply(select, found.options) };
      }
      log.add(
        problem ||
          (found.off !== undefined
            ? `option being selected is not enabled: ${JSON.stringify(found.off)}`
            : `did not find some options: ${found.missing.map((m) => JSON.stringify(m)).join(', ')}; there are ${named(select)}`),
      );
      if (performance.now() >= until) return { late: true, log: log.lines() };
      await Act.frame();
    }
  };

  const apply = (select, options) => {
    select.focus();
    const before = [...select.options].map((o) => o.selected);
    if (!select.multiple) select.value = undefined;
    for (const o of select.options) {
      if (select.multiple) o.selected = options.includes(o);
    }
    if (!select.multiple) {
      if (options.length) options[0].selected = true;
      else select.selectedIndex = -1;
    }
    if ([...select.options].some((o, i) => o.selected !== before[i])) Act.changed(select);
    return [...select.options].filter((o) => o.selected).map((o) => o.value);
  };

  const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

  // checkState says whether el (or what it labels) is checked: {checked: true,
  // false or 'mixed', radio}, or {error} for what can't be.
  P.checkState = (el) =>
    P.batch(() => {
      const control = Act.controlOf(el);
      const role = P.roleOf(control);
      const native = localName(control) === 'input' && (control.type === 'checkbox' || control.type === 'radio');
      if (!native && !CHECKABLE.has(role)) return { error: 'Not a checkbox or radio button' };
      const checked = role === 'option' && !hasAttr(control, 'aria-checked') ? selectedOf(control) : checkedOf(control, role);
      return { checked, radio: native ? control.type === 'radio' : role === 'radio' || role === 'menuitemradio' };
    });

  // standIn gives what to press in place of a checkbox that is not seen itself:
  // its label. Component kits hide the real box behind a painted one.
  P.standIn = (el) =>
    P.batch(() => {
      const control = Act.controlOf(el);
      if (P.isVisible(control) && Act.problem(control, ['visible']) === null && getComputedStyle(control).opacity !== '0') return null;
      const label = control.labels && [...control.labels].find((l) => P.isVisible(l));
      return label ? P.keep(label) : null;
    });
}
