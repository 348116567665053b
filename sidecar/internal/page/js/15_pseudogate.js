// Which elements can have generated text at all. Asking each element of a large
// page for its pseudo elements costs as much as all the rest, and few style
// sheets have such text. So on a large page the sheets are read first, for
// what an element must have to be a subject of one of those rules: a tag, a
// class or an id.

// Elements that are asked before the sheets are read.
const GATE_AFTER = 1000;

const PSEUDO = /::?(?:before|after)(?![\w-])/i;

class PseudoGate {
  constructor() {
    this.open = false; // everything has to be asked
    this.tags = new Set(['q']); // of the browser's own sheet
    this.classes = new Set();
    this.ids = new Set();
    try {
      for (const sheet of [...styleSheetsOf(doc), ...adoptedSheetsOf(doc)]) this.readRules(sheet.cssRules, false);
    } catch {
      // A sheet of another origin tells nothing.
      this.open = true;
    }
  }

  readRules(rules, nested) {
    for (let i = 0; i < rules.length && !this.open; i++) {
      const rule = rules[i];
      const selector = rule.selectorText;
      const text = selector !== undefined && PSEUDO.test(selector) && rule.style.content;
      if (text && text !== 'none' && text !== 'normal') this.readSelectors(selector, nested);
      if (rule.styleSheet) this.readRules(rule.styleSheet.cssRules, nested);
      // In a style rule or @scope selectors mean something else than they say.
      if (rule.cssRules && rule.cssRules.length) {
        this.readRules(rule.cssRules, nested || selector !== undefined || rule instanceof CSSScopeRule);
      }
    }
  }

  readSelectors(list, nested) {
    for (const selector of splitSelectors(list)) {
      const at = selector.search(PSEUDO);
      if (at < 0) continue;
      const subject = /[^\s>+~]*$/.exec(selector.slice(0, at))[0];
      const m = /^(?:(\.|#)((?:[\w-]|[^\x00-\x7f])+)|([a-z][\w-]*))|(\.|#)((?:[\w-]|[^\x00-\x7f])+)/i.exec(subject);
      if (nested || !m || selector.includes('\\\\')) this.open = true;
      else if (m[3]) this.tags.add(m[3].toLowerCase());
      else ((m[1] || m[4]) === '.' ? this.classes : this.ids).add(m[2] || m[5]);
    }
  }

  admits(el) {
    if (this.open || this.tags.has(localName(el))) return true;
    if (!anyAttr(el)) return false;
    if (this.classes.size) for (const c of classesOf(el)) if (this.classes.has(c)) return true;
    return this.ids.size > 0 && this.ids.has(attr(el, 'id'));
  }
}

// splitSelectors splits a list of selectors and drops what stands in brackets,
// so that what is left of a selector all has to hold.
function splitSelectors(list) {
  const selectors = [''];
  let depth = 0;
  for (const [token] of list.matchAll(/"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\\[^]|[^]/g)) {
    if (token === '(' || token === '[') depth++;
    else if (token === ')' || token === ']') depth--;
    else if (depth > 0) continue;
    else if (token === ',') selectors.push('');
    else selectors[selectors.length - 1] += token;
  }
  return selectors;
}

// mayHavePseudo says false only when el has no generated text for sure. Rules
// of shadow trees reach their hosts and what is slotted into them, so elements
// there are always asked.
function mayHavePseudo(el) {
  if (++run.pseudoAsked < GATE_AFTER) return true;
  const gate = (run.pseudoGate ||= new PseudoGate());
  return gate.admits(el) || shadowOf(el) !== null || slotOf(el) !== null || treeRootOf(el) !== doc;
}
