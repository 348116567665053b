  // The library's types of events, those that matter here.
  const FULL_SNAPSHOT = 2, INCREMENT = 3, META = 4, CUSTOM = 5;

  // Elements for which a browser looks up names and opens connections before it asks
  // any policy: hints to hurry, and frames that go somewhere.
  const CALLERS = new Set(['link', 'iframe', 'frame', 'object', 'embed', 'applet', 'portal', 'fencedframe', 'base', 'meta']);
  // Their attributes that say where to or when. What a sheet says is in an attribute
  // of the library's own, and a frame's document in the recording, so neither is missed.
  const CALLS = new Set(['href', 'xlink:href', 'imagesrcset', 'src', 'rr_src', 'srcdoc', 'data', 'code', 'codebase', 'archive', 'http-equiv']);

  // elementsOf gives each node that an event of the library's brings, however deep.
  const elementsOf = ({ type, data }) => {
    const found = [], todo = [];
    if (type === FULL_SNAPSHOT) todo.push(data.node);
    if (type === INCREMENT && Array.isArray(data.adds)) for (const a of data.adds) todo.push(a?.node);
    while (todo.length > 0) {
      const node = todo.pop();
      if (node === null || typeof node !== 'object') continue;
      found.push(node);
      if (Array.isArray(node.childNodes)) for (const child of node.childNodes) todo.push(child);
    }
    return found;
  };

  // A name is whatever has that text: the library makes elements of lists as well.
  const nameOf = (value) => {
    try {
      return String(value).toLowerCase();
    } catch {
      return '';
    }
  };

  const hush = (attributes) => {
    if (attributes === null || typeof attributes !== 'object') return;
    for (const name of Object.keys(attributes)) if (CALLS.has(nameOf(name))) delete attributes[name];
  };

  // harmless takes from a tab's events what would contact somebody. An attribute that
  // changes names its element by a number alone, and numbers can lie: all that a
  // caller ever had count.
  const harmless = (events) => {
    const callers = new Set();
    for (const e of events) {
      for (const node of elementsOf(e)) {
        if (!CALLERS.has(nameOf(node.tagName))) continue;
        callers.add(nameOf(node.id));
        hush(node.attributes);
      }
    }
    for (const { type, data } of events) {
      if (type !== INCREMENT || !Array.isArray(data.attributes)) continue;
      for (const change of data.attributes) if (callers.has(nameOf(change?.id))) hush(change.attributes);
    }
  };

