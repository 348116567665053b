// Finding elements, part three: by role, by label and by attribute.
{
  const HEADINGS = 'h1,h2,h3,h4,h5,h6';
  // Which elements can have a role without a role attribute: a superset, so
  // that the role of most elements need not be worked out.
  const TAGS = {
    alert: '', article: 'article', banner: 'header', button: 'button,input,summary', cell: 'td,th', checkbox: 'input',
    columnheader: 'th', combobox: 'select,input', complementary: 'aside', contentinfo: 'footer', dialog: 'dialog', form: 'form',
    gridcell: 'td,th', group: 'details,fieldset,optgroup,address,hgroup', heading: HEADINGS, img: 'img,svg,image', link: 'a,area', list: 'ul,ol,menu',
    listbox: 'select,datalist', listitem: 'li', main: 'main', menuitem: '', navigation: 'nav', option: 'option', paragraph: 'p',
    progressbar: 'progress', radio: 'input', region: 'section', row: 'tr', rowgroup: 'tbody,thead,tfoot', rowheader: 'th', search: 'search',
    searchbox: 'input', slider: 'input', spinbutton: 'input', status: 'output', switch: 'input,button', tab: '', table: 'table',
    tabpanel: '', textbox: 'input,textarea', tooltip: '', tree: '', treeitem: '', menu: 'menu', menubar: '', radiogroup: '', grid: 'table', treegrid: 'table',
  };
  const mayHaveRole = (role) => {
    const tags = Object.hasOwn(TAGS, role) ? TAGS[role] : '*';
    return tags === '*' ? '*' : tags ? `${tags},[role]` : '[role]';
  };

  const stateOf = (el, role, name) => {
    switch (name) {
      case 'checked':
        return checkedOf(el, role);
      case 'disabled':
        return disabledOf(el, role);
      case 'expanded':
        return expandedOf(el);
      case 'pressed':
        return pressedOf(el);
      case 'selected':
        return selectedOf(el);
      case 'level':
        return P.states(el).level || 0;
    }
    return false;
  };

  // byRole finds elements under root with a role, and the name and states asked
  // for. Elements that assistive technology does not see count only on request.
  Find.byRole = (root, step, most = Infinity) => {
    const found = [];
    const name = step.text && Find.pattern(step.text);
    for (const el of Find.under(root, mayHaveRole(step.role))) {
      if (P.roleOf(el) !== step.role) continue;
      if (!step.hidden && P.isHiddenForAria(el)) continue;
      if (!Object.entries(step.states || {}).every(([k, v]) => String(stateOf(el, step.role, k)) === v)) continue;
      if (name && !name.is(Find.tidy(P.nameOf(el)))) continue;
      found.push(el);
      if (found.length >= most) break;
    }
    return found;
  };

  // labelsOf gives the texts that label el: aria-labelledby, <label>, aria-label.
  const labelsOf = (el, texts) => {
    const by = idRefs(el, attr(el, 'aria-labelledby'));
    if (by.length) return [...by.map((e) => texts.of(e)), by.map((e) => texts.of(e)).join(' ')];
    const labels = el.labels ? [...el.labels].map((l) => texts.of(l)) : [];
    const own = attr(el, 'aria-label');
    return own && own.trim() ? [Find.tidy(own), ...labels] : labels;
  };

  Find.byLabel = (root, pattern, texts) =>
    Find.under(root, 'input,select,textarea,button,meter,output,progress,[aria-label],[aria-labelledby],:is([contenteditable],[role])').filter(
      (el) => attr(el, 'type') !== 'hidden' && labelsOf(el, texts).some((l) => pattern.is(l)),
    );

  // The attribute that test ids stand in.
  const TEST_ID = 'data-testid';
  const ATTRIBUTES = { placeholder: 'placeholder', alt: 'alt', title: 'title', testid: TEST_ID };

  Find.byAttribute = (root, kind, pattern) => {
    const name = ATTRIBUTES[kind];
    const scope = kind === 'alt' ? 'img[alt],area[alt],input[alt],[role=img][alt]' : `[${name}]`;
    return Find.under(root, scope).filter((el) => pattern.is(Find.tidy(attr(el, name))));
  };
}
