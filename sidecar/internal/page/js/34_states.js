// What an element says about its state. Each function answers for any element;
// the tables in 20_roletables say for which roles the answer means something.

const FORM_CONTROLS = new Set(['button', 'input', 'select', 'textarea', 'option', 'optgroup']);

// isNativelyDisabled: by itself, its option group or a fieldset around it, but
// not from within that fieldset's first legend.
function isNativelyDisabled(el) {
  const tag = localName(el);
  if (!FORM_CONTROLS.has(tag)) return false;
  if (hasAttr(el, 'disabled')) return true;
  if (tag === 'option' && closestTo(el, 'optgroup[disabled]')) return true;
  const fieldset = closestTo(el, 'fieldset[disabled]');
  if (!fieldset) return false;
  const legend = fieldset.querySelector(':scope > legend');
  return !legend || !legend.contains(el);
}

const disabledOf = (el, role) => isNativelyDisabled(el) || (CAN_DISABLE.has(role) && ariaDisabled(el));

// ariaDisabled: aria-disabled, here or on the nearest element around that has an
// opinion.
function ariaDisabled(el) {
  const path = [];
  let result = false;
  for (let e = el; e; e = parentOrHost(e)) {
    const look = lookAt(e);
    if (look.disabled !== undefined) {
      result = look.disabled;
      break;
    }
    path.push(look);
    const word = (attr(e, 'aria-disabled') || '').toLowerCase();
    if (word === 'true' || word === 'false') {
      result = word === 'true';
      break;
    }
  }
  for (const look of path) look.disabled = result;
  return result;
}

function checkedOf(el, role) {
  if (localName(el) === 'input') {
    if (el.indeterminate) return 'mixed';
    if (el.type === 'checkbox' || el.type === 'radio') return el.checked;
  }
  if (!CAN_CHECK.has(role)) return false;
  const v = attr(el, 'aria-checked');
  return v === 'mixed' ? v : v === 'true';
}

function pressedOf(el) {
  const v = attr(el, 'aria-pressed');
  return v === 'mixed' ? v : v === 'true';
}

const expandedOf = (el) => (localName(el) === 'details' ? el.open : attr(el, 'aria-expanded') === 'true');
const selectedOf = (el) =>
  localName(el) === 'option' ? el.selected : (attr(el, 'aria-selected') || '').toLowerCase() === 'true';

// invalidOf: false, true, 'grammar' or 'spelling'; a word that nobody defined
// means true.
function invalidOf(el) {
  const v = attr(el, 'aria-invalid');
  if (!v || v.trim() === '' || v.toLowerCase() === 'false') return false;
  return v === 'grammar' || v === 'spelling' ? v : true;
}

function levelOf(el) {
  const heading = /^h([1-6])$/.exec(localName(el));
  if (heading) return Number(heading[1]);
  const v = attr(el, 'aria-level');
  const level = v === null ? NaN : Number(v);
  return Number.isInteger(level) && level >= 1 ? level : 0;
}

function isReadonly(el, role) {
  const tag = localName(el);
  if (tag === 'input' || tag === 'textarea' || tag === 'select') return hasAttr(el, 'readonly');
  return IS_READONLY.has(role) && attr(el, 'aria-readonly') === 'true';
}

// states gives the states that count for the element's role: checked (bool or
// 'mixed'), disabled, expanded, invalid (bool, 'grammar' or 'spelling'), level,
// pressed (bool or 'mixed'), selected, readonly.
P.states = scoped((el) => {
  const role = roleOf(el, lookAt(el));
  const s = { role, disabled: disabledOf(el, role), readonly: isReadonly(el, role) };
  if (CAN_CHECK.has(role)) s.checked = checkedOf(el, role);
  if (CAN_EXPAND.has(role)) s.expanded = expandedOf(el);
  if (CAN_BE_INVALID.has(role)) s.invalid = invalidOf(el);
  if (HAS_LEVEL.has(role)) s.level = levelOf(el);
  if (role === 'button') s.pressed = pressedOf(el);
  if (CAN_SELECT.has(role)) s.selected = selectedOf(el);
  return s;
});
