
  // The first of two walls: what somebody typed is replaced before it is an event.
  // The second one stands in the sidecar, where a page can't reach it.
  const starry = '****************************************************************';
  const fixed = '********'; // tells no length
  const stars = (text) => cut(starry, 0, text.length);

  const typed = new Set(); // fields that held what somebody typed, whatever they are by now
  const secrets = new Set(); // … and what nobody may learn the length of

  const buttons = (type) => type === 'submit' || type === 'button' || type === 'reset' || type === 'image';
  const choices = (type) => type === 'radio' || type === 'checkbox';

  const isSecret = (el) => {
    if (has(secrets, el)) return true;
    const hint = lower(attributeOf(el, 'autocomplete') || '');
    const secret = lower(attributeOf(el, 'type') || '') === 'password' || hasAttribute(el, 'data-rr-is-password')
      || endsWith(hint, '-password') || endsWith(hint, 'one-time-code') || startsWith(hint, 'cc-') || endsWith(hint, ' cc-number')
      || endsWith(hint, ' cc-csc');
    if (secret) add(secrets, el);
    return secret;
  };

  // Called by the library for the value of each input, text area and select.
  const maskInput = (text, el) => {
    try {
      if (!buttons(lower(attributeOf(el, 'type') || ''))) add(typed, el);
      else if (!has(typed, el)) return text;
      return text && isSecret(el) ? fixed : stars(text);
    } catch {
      return fixed;
    }
  };

  // veil masks what the library leaves open in a serialised tree, and notes frames.
  const veil = (node, mirror, frames) => {
    const attributes = node.attributes;
    if (attributes) {
      const tag = node.tagName;
      if (tag === 'input' && typeof attributes.value === 'string') {
        const type = lower(`${attributes.type || ''}`);
        const el = mirror.getNode(node.id);
        if (choices(type)) attributes.value = stars(attributes.value);
        else if (buttons(type) && el && has(typed, el)) attributes.value = fixed;
      } else if (tag === 'option' && typeof attributes.value === 'string') {
        attributes.value = stars(attributes.value);
      } else if (tag === 'iframe' || tag === 'frame' || tag === 'object' || tag === 'embed') {
        frames[frames.length] = node.id;
      }
      if (attributes.srcdoc !== undefined) delete attributes.srcdoc;
    }
    const children = node.childNodes;
    if (children) for (let i = 0; i < children.length; i++) veil(children[i], mirror, frames);
  };

  const veilEvent = (event, mirror, frames) => {
    const data = event.data;
    if (event.type === 2) veil(data.node, mirror, frames);
    if (event.type !== 3) return;
    if (data.source === 5 && typeof data.text === 'string') {
      const el = mirror.getNode(data.id);
      if (!el || choices(lower(attributeOf(el, 'type') || ''))) data.text = stars(data.text);
    }
    if (data.source !== 0) return;
    for (let i = 0; i < data.adds.length; i++) veil(data.adds[i].node, mirror, frames);
    for (let i = 0; i < data.attributes.length; i++) {
      const changed = data.attributes[i].attributes;
      if (changed.srcdoc !== undefined) delete changed.srcdoc;
      if (typeof changed.value !== 'string') continue;
      const el = mirror.getNode(data.attributes[i].id);
      const type = el ? lower(attributeOf(el, 'type') || '') : '';
      if (!el || el.localName === 'option' || choices(type)) changed.value = stars(changed.value);
      else if (buttons(type) && has(typed, el)) changed.value = fixed;
    }
  };
