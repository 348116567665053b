// Text that the style sheet adds: ::before, ::after, and alternative texts in
// the content property.

// One token of a computed content value at a time: a string, the slash before
// the alternative text, attr(), or anything else up to the next of these.
const CONTENT_TOKEN = /\s*(?:"((?:[^"\\]|\\[^])*)"|(\/)|attr\(\s*([^\s,()]+)\s*\)|([^\s"/(]+)(\()?|([^]))/y;

// unescapeCSS undoes the escapes of a CSS string.
const unescapeCSS = (s) =>
  s.replace(/\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|([^]))/g, (_, hex, char) => {
    if (char !== undefined) return char === '\n' ? '' : char;
    const code = parseInt(hex, 16);
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });

// skipCall moves past the arguments of a function whose "(" ends at from.
function skipCall(value, from) {
  const part = /"(?:[^"\\]|\\[^])*"|[()]|[^"()]+/y;
  part.lastIndex = from;
  for (let open = 1; open > 0; ) {
    const m = part.exec(value);
    if (!m) return value.length;
    if (m[0] === '(') open++;
    if (m[0] === ')') open--;
  }
  return part.lastIndex;
}

// contentText reads a computed content value: its alternative text when it has
// one, else (for pseudo elements) its strings. A value with anything that is
// not text, a counter for instance, has no text: undefined.
function contentText(value, el, pseudo) {
  let text = '';
  let plain = true;
  let alternative = false;
  CONTENT_TOKEN.lastIndex = 0;
  for (let m; CONTENT_TOKEN.lastIndex < value.length && (m = CONTENT_TOKEN.exec(value)); ) {
    if (m[1] !== undefined) text += unescapeCSS(m[1]);
    else if (m[3] !== undefined) text += attr(el, m[3]) || '';
    else if (m[2] !== undefined && !alternative) {
      alternative = plain = true;
      text = '';
    } else {
      plain = false;
      if (m[5] !== undefined) CONTENT_TOKEN.lastIndex = skipCall(value, CONTENT_TOKEN.lastIndex);
    }
  }
  return plain && (pseudo || alternative) ? text : undefined;
}

// readPseudo gives the text that a pseudo element puts before or after the
// content, with a space on either side unless it is inline.
function readPseudo(el, which) {
  if (!mayHavePseudo(el)) return '';
  const style = getComputedStyle(el, which);
  const value = style.content;
  if (!value || value === 'none' || value === 'normal') return '';
  const display = style.display;
  if (display === 'none' || style.visibility === 'hidden') return '';
  const text = contentText(value, el, true);
  if (text === undefined) return '';
  return display === 'inline' ? text : ' ' + text + ' ';
}

const beforeOf = (el, look) => (look.before === undefined ? (look.before = readPseudo(el, '::before')) : look.before);
const afterOf = (el, look) => (look.after === undefined ? (look.after = readPseudo(el, '::after')) : look.after);

// ownContentAlt is the alternative text of an element that content replaces.
function ownContentAlt(el, look) {
  if (look.display === undefined) readStyle(el, look);
  return look.content === '' ? undefined : contentText(look.content, el, false);
}
