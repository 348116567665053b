// The role of an element: its role attribute, else what its tag implies.

const hasName = (el) => hasAttr(el, 'aria-label') || hasAttr(el, 'aria-labelledby');
const linkRole = (el) => (hasAttr(el, 'href') ? 'link' : null);

const TAG_RULES = {
  a: linkRole,
  area: linkRole,
  footer: (el) => (closestOver(el, LANDMARK_STOP) ? null : 'contentinfo'),
  header: (el) => (closestOver(el, LANDMARK_STOP) ? null : 'banner'),
  form: (el) => (hasName(el) ? 'form' : null),
  section: (el) => (hasName(el) ? 'region' : null),
  img: imageRole,
  input: inputRole,
  select: (el) => (el.multiple || el.size > 1 ? 'listbox' : 'combobox'),
  td: (el) => {
    const table = closestOver(el, 'table');
    const role = table && explicitRole(table);
    return role === 'grid' || role === 'treegrid' ? 'gridcell' : 'cell';
  },
  th: headerRole,
};

// An image with an empty alt is decoration, unless something else speaks for it.
function imageRole(el) {
  const decorative = attr(el, 'alt') === '' && !attr(el, 'title') && !hasGlobalAria(el, '') && !hasTabIndex(el);
  return decorative ? 'presentation' : 'img';
}

function inputRole(el) {
  const type = el.type;
  switch (type) {
    case 'hidden':
      return null;
    case 'email': case 'search': case 'tel': case 'text': case 'url': {
      const list = idRefs(el, attr(el, 'list'))[0];
      if (list && localName(list) === 'datalist') return 'combobox';
      return type === 'search' ? 'searchbox' : 'textbox';
    }
  }
  return INPUT_ROLES[type] || 'textbox';
}

// headerRole tells for which cells a <th> speaks: by its scope, else by what
// stands beside it.
function headerRole(el) {
  const scope = attr(el, 'scope');
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  const next = nextElementSibling(el);
  const previous = previousElementSibling(el);
  if (!next && !previous) {
    const row = parentElement(el);
    const table = row && localName(row) === 'tr' && closestOver(row, 'table');
    // The only cell of a table is a title, it heads nothing.
    return table && localName(table) && table.rows.length <= 1 ? null : 'columnheader';
  }
  if (isHeaderCell(next) && isHeaderCell(previous)) return 'columnheader';
  return holdsData(next) || holdsData(previous) ? 'rowheader' : 'columnheader';
}

const isHeaderCell = (el) => el !== null && localName(el) === 'th';
const holdsData = (el) =>
  el !== null && localName(el) === 'td' && (firstElementChild(el) !== null || textContent(el).trim() !== '');

function hasGlobalAria(el, role) {
  if (!anyAttr(el)) return false;
  return GLOBAL_ATTRIBUTES.some(([name, except]) => !except.has(role) && hasAttr(el, name));
}

function hasTabIndex(el) {
  const v = attr(el, 'tabindex');
  return v !== null && !Number.isNaN(Number(v));
}

function isFocusable(el) {
  if (isNativelyDisabled(el)) return false;
  switch (localName(el)) {
    case 'button': case 'details': case 'select': case 'textarea':
      return true;
    case 'a': case 'area':
      return hasAttr(el, 'href') || hasTabIndex(el);
    case 'input':
      return !el.hidden || hasTabIndex(el);
  }
  return hasTabIndex(el);
}

// explicitRole is the first known role of the role attribute; null for none.
function explicitRole(el) {
  const v = attr(el, 'role');
  if (v === null) return null;
  for (const token of v.split(/\s+/)) {
    if (ROLES.has(token)) return token;
  }
  return null;
}

const isNone = (role) => role === 'none' || role === 'presentation';

function implicitRole(el) {
  const tag = localName(el);
  const rule = Object.hasOwn(TAG_RULES, tag) ? TAG_RULES[tag] : null;
  const role = rule ? rule(el) : Object.hasOwn(TAG_ROLES, tag) ? TAG_ROLES[tag] : null;
  if (!role || !Object.hasOwn(PART_OF, tag)) return role;
  for (let part = el; ; ) {
    const wholes = PART_OF[localName(part)];
    const whole = parentOrHost(part);
    if (!wholes || !whole || !wholes.includes(localName(whole))) return role;
    const given = explicitRole(whole);
    if (isNone(given) && !staysExposed(whole, given)) return given;
    part = whole;
  }
}

// staysExposed: a role of none counts for nothing on what can be focused or
// says something about itself.
const staysExposed = (el, role) => hasGlobalAria(el, role || '') || isFocusable(el);

function computeRole(el) {
  const given = explicitRole(el);
  if (!given) return implicitRole(el);
  if (isNone(given)) {
    const implied = implicitRole(el);
    if (staysExposed(el, implied)) return implied;
  }
  return given;
}

// roleOf gives the role, '' for an element that has none.
function roleOf(el, look) {
  if (look.role === undefined) look.role = computeRole(el) || '';
  return look.role;
}

P.roleOf = scoped((el) => roleOf(el, lookAt(el)));
