// DOM access that a page cannot bend. An isolated world has its own prototypes,
// but <form> and document look up the names of the elements in them before
// their own properties, in every world: with <input name="firstChild"> a form's
// firstChild is that input. Getters taken from the prototypes never ask there.

const getter = (proto, name) => {
  const get = Object.getOwnPropertyDescriptor(proto, name).get;
  return (o) => get.call(o);
};

const nodeType = getter(Node.prototype, 'nodeType');
const firstChild = getter(Node.prototype, 'firstChild');
const nextSibling = getter(Node.prototype, 'nextSibling');
const parentNode = getter(Node.prototype, 'parentNode');
const parentElement = getter(Node.prototype, 'parentElement');
const isConnected = getter(Node.prototype, 'isConnected');
const textContent = getter(Node.prototype, 'textContent');
const textData = getter(CharacterData.prototype, 'data');
const tagOf = getter(Element.prototype, 'localName');
const namespaceOf = getter(Element.prototype, 'namespaceURI');
const firstElementChild = getter(Element.prototype, 'firstElementChild');
const nextElementSibling = getter(Element.prototype, 'nextElementSibling');
const previousElementSibling = getter(Element.prototype, 'previousElementSibling');
const openShadowRoot = getter(Element.prototype, 'shadowRoot');
const elementSlot = getter(Element.prototype, 'assignedSlot');
const textSlot = getter(Text.prototype, 'assignedSlot');
const docTitle = getter(Document.prototype, 'title');
const activeOf = getter(Document.prototype, 'activeElement');
const classesOf = getter(Element.prototype, 'classList');
const editContextOf = 'editContext' in HTMLElement.prototype ? getter(HTMLElement.prototype, 'editContext') : () => null;

const { getAttribute, hasAttribute, hasAttributes, getBoundingClientRect, checkVisibility, closest, matches, querySelectorAll } = Element.prototype;
const attr = (el, name) => getAttribute.call(el, name);
const hasAttr = (el, name) => hasAttribute.call(el, name);
const anyAttr = (el) => hasAttributes.call(el);
const rectOf = (el) => getBoundingClientRect.call(el);
const rendered = (el) => checkVisibility.call(el);
const closestTo = (el, css) => closest.call(el, css);
const matching = (el, css) => matches.call(el, css);
const allIn = (el, css) => querySelectorAll.call(el, css);

// Elements whose own properties we ask for. MathML and SVG can have elements of
// the same names, without those properties and the meaning.
const HTML_ONLY = new Set(['details', 'frame', 'iframe', 'input', 'option', 'select', 'slot', 'table', 'textarea']);
const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

// localName gives the name of an element; '' for one that is called like one of
// HTML's and is none.
const localName = (el) => {
  const name = tagOf(el);
  return HTML_ONLY.has(name) && namespaceOf(el) !== HTML_NAMESPACE ? '' : name;
};

const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;

// The document that is being worked on. A world outlives its document where a
// frame's first, empty document is replaced; see 90_enter.
let doc = document;

const styleSheetsOf = getter(Document.prototype, 'styleSheets');
const adoptedSheetsOf = getter(Document.prototype, 'adoptedStyleSheets');
const rootElementOf = getter(Document.prototype, 'documentElement');
const docQuery = (css) => Document.prototype.querySelector.call(doc, css);
const labelsIn = (root) => (root === doc ? Document : DocumentFragment).prototype.querySelectorAll.call(root, 'label');
const docById = (id) => Document.prototype.getElementById.call(doc, id);
const docHasFocus = () => Document.prototype.hasFocus.call(doc);
