// Short previews of elements, for messages to people and models.

const PREVIEW_MAX = 80;
const PREVIEW_ATTRIBUTES = ['id', 'type', 'name', 'role', 'aria-label', 'href', 'title', 'class'];

// One line, no control characters, at most max characters.
function clip(s, max) {
  const flat = tidy(s.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' '));
  return flat.length > max ? flat.slice(0, max - 1).trimEnd() + '\u2026' : flat;
}

// describe gives a preview like <button id="x">Text</button>, one line and at
// most 80 characters.
P.describe = (el) => {
  if (nodeType(el) !== ELEMENT) return clip(String(el.nodeName), PREVIEW_MAX);
  const tag = clip(tagOf(el), 24);
  let open = '<' + tag;
  for (const name of PREVIEW_ATTRIBUTES) {
    const v = attr(el, name);
    if (v === null) continue;
    const shown = ' ' + name + '="' + clip(v, 24).replace(/"/g, "'") + '"';
    if (open.length + shown.length > PREVIEW_MAX / 2) continue;
    open += shown;
  }
  const room = PREVIEW_MAX - open.length - tag.length - 4;
  const text = clip(textContent(el).slice(0, 2000), room);
  return (text ? open + '>' + text + '</' + tag + '>' : open + '>').toWellFormed();
};
