// The walk's place in the flat tree: what comes next in an element.

// Visit is the walk's place in one element: its light children, or what is
// assigned to it when it is a slot, its shadow tree, then the elements it owns.
class Visit {
  constructor(el, look, own, node, visible, block) {
    this.el = el;
    this.look = look;
    this.own = own; // the element's own node, if it got one
    this.node = node; // where content goes
    this.visible = visible;
    this.block = block;
    this.list = null; // nodes that do not hang together as siblings
    this.at = 0;
    this.shadow = shadowOf(el);
    this.open = this.shadow !== null && openShadowRoot(el) !== null;
    this.phase = 0; // 0 children, 1 shadow tree, 2 owned
    this.met = 0; // elements so far
    this.child = null;
    const tag = localName(el);
    if (tag === 'iframe' || tag === 'frame') {
      this.phase = 3; // what is inside of the tags is for browsers without frames
    } else if (tag === 'slot') {
      const assigned = el.assignedNodes();
      if (assigned.length) this.list = assigned;
      else this.child = firstChild(el);
    } else {
      this.child = firstChild(el);
    }
  }

  // rest counts the elements that next would still give, and skips them.
  rest() {
    let n = 0;
    for (let c = this.next(); c !== null; c = this.next()) if (nodeType(c) === ELEMENT) n++;
    return n;
  }

  next() {
    for (;;) {
      if (this.list) {
        if (this.at < this.list.length) return this.list[this.at++];
        this.list = null;
      }
      const child = this.child;
      if (child !== null) {
        this.child = nextSibling(child);
        if (this.phase > 0 || this.shadow === null || (this.open && !slotOf(child))) return child;
        continue;
      }
      if (this.phase >= 2) return null;
      this.phase++;
      if (this.phase === 1) {
        if (this.shadow) this.child = firstChild(this.shadow);
      } else if (hasAttr(this.el, 'aria-owns')) {
        this.list = attr(this.el, 'aria-owns').split(/\s+/).map((id) => id && docById(id)).filter(Boolean);
        this.at = 0;
      }
    }
  }
}
