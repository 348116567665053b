
  // What is called below is taken now: a page may replace any of it later.
  const { bind, call } = Function.prototype;
  const free = bind.bind(call); // free(method)(object, ...arguments)
  const getter = (object, key) => free(Object.getOwnPropertyDescriptor(object, key).get);
  const stringify = JSON.stringify;
  const listen = free(EventTarget.prototype.addEventListener);
  const later = world.setTimeout.bind(world);
  const now = Date.now;
  const debug = console.debug.bind(console);
  const cut = free(String.prototype.slice);
  const lower = free(String.prototype.toLowerCase);
  const endsWith = free(String.prototype.endsWith);
  const startsWith = free(String.prototype.startsWith);
  const attributeOf = free(Element.prototype.getAttribute);
  const hasAttribute = free(Element.prototype.hasAttribute);
  const readyState = getter(Document.prototype, 'readyState');
  const rootOf = getter(Document.prototype, 'documentElement');
  const isConnected = getter(Node.prototype, 'isConnected');
  const create = free(Document.prototype.createElement);
  const observe = free(MutationObserver.prototype.observe);
  const Observer = MutationObserver;
  const has = free(WeakSet.prototype.has);
  const add = free(WeakSet.prototype.add);
  const Set = WeakSet;

  const timers = { set: later, clear: world.clearTimeout.bind(world), frame: world.requestAnimationFrame.bind(world) };

  // The library looks for some natives by their names, and where it finds them
  // changed, or only believes so, it makes a frame in the page to take others from.
  // It gets these instead, as they were at the document's start.
  const describe = (object, key) => {
    while (object && !Object.getOwnPropertyDescriptor(object, key)) object = Object.getPrototypeOf(object);
    return Object.getOwnPropertyDescriptor(object, key);
  };
  const kept = (type, accessors, methods) => {
    const prototype = {};
    for (const key of accessors) {
      const found = describe(type.prototype, key);
      // A method among the accessors is a mistake of the library's and never used.
      Object.defineProperty(prototype, key, { get: found.get || bind.call(() => {}), configurable: true });
    }
    for (const key of methods) prototype[key] = describe(type.prototype, key).value;
    return { prototype };
  };
  const natives = {
    Node: kept(Node, ['childNodes', 'parentNode', 'parentElement', 'textContent', 'ownerDocument', 'firstChild', 'lastChild',
      'nextSibling', 'previousSibling'], ['contains', 'getRootNode']),
    ShadowRoot: kept(ShadowRoot, ['host', 'styleSheets'], ['getSelection']),
    Element: kept(Element, ['shadowRoot', 'querySelector', 'querySelectorAll'], []),
    MutationObserver: kept(MutationObserver, [], ['constructor']),
  };

  // The library calls the page's own objects. Whether those still do what their
  // names say is tried on small things; polyfills pass, saboteurs seldom.
  const intact = () => {
    try {
      const el = create(world.document, 'i');
      const inner = create(world.document, 'b');
      el.setAttribute('a', 'b');
      el.appendChild(inner);
      let seen = 0;
      [1, 2].forEach((n) => { seen += n; });
      const list = [3];
      list.push(4);
      return seen === 3 && list[1] === 4 && list.splice(0, 1)[0] === 3
        && [1, 2, 3].map((n) => n + 1).filter((n) => n > 2).join() === '3,4'
        && [1].concat([2]).slice(1)[0] === 2 && [1, 2].indexOf(2) === 1 && [1].includes(1) && ![1].includes(2)
        && [1].some((n) => n === 1) && ![1].every((n) => n === 2) && [1].find((n) => n === 1) === 1
        && Array.from([1, 2], (n) => n * 2)[1] === 4 && Object.keys({ a: 1 })[0] === 'a'
        && ' aB '.trim() === 'aB' && 'ab'.replace('b', 'c') === 'ac' && 'ab'.replace(/b/g, '*') === 'a*'
        && 'ab'.slice(1) === 'b' && 'aB'.toLowerCase() === 'ab' && 'a,b'.split(',')[1] === 'b' && 'ab'.indexOf('b') === 1
        && /a(b)/.exec('ab')[1] === 'b' && /a/.test('ba') && !/a/.test('b') && 'ab'.match(/b/)[0] === 'b'
        && new Map([[1, 2]]).get(1) === 2 && new WeakMap([[el, 2]]).get(el) === 2 && !new WeakSet([el]).has(inner)
        && el.getAttribute('a') === 'b' && el.getAttribute('c') === null && el.attributes.length === 1 && el.attributes[0].name === 'a'
        && lower(el.tagName) === 'i' && el.nodeType === 1 && el.childNodes.length === 1 && el.childNodes[0] === inner && inner.parentNode === el
        && el.matches('i') && !el.matches('b') && inner.closest('i') === el && inner.closest('u') === null
        && !el.classList.contains('a') && el.contains(inner) && !inner.contains(el) && el.querySelectorAll('b').length === 1
        && !('toJSON' in Object.prototype) && !('toJSON' in Array.prototype) && !('toJSON' in String.prototype)
        && !('toJSON' in Number.prototype) && !('toJSON' in Boolean.prototype);
    } catch {
      return false;
    }
  };
