// Acting on elements, part two: where to press, and what would get the press.
{
  const MIN_AREA = 0.99; // square pixels; less can't be hit

  // boxesOf gives the boxes of el, those of its content where it has none.
  const boxesOf = (el) => {
    const own = [...Element.prototype.getClientRects.call(el)];
    if (own.length) return own;
    const range = new Range();
    range.selectNodeContents(el);
    return [...range.getClientRects()];
  };

  // Form controls that a page hides to paint something in their place.
  const CONTROLS = 'input,select,textarea,button';
  // So many ancestors of a hidden control may be what is painted for it, unless
  // they hold something else that can be used.
  const FACE_LEVELS = 3;
  const USABLE = CONTROLS + ',a[href],[tabindex],[contenteditable],[role=button],[role=link]';
  Act.USABLE = USABLE;

  const CLIPPED = /^(?:inset\((?:50|100)%|circle\(0|rect\(0px,? 0px,? 0px,? 0px\))/;
  const tiny = (r) => r.width <= 1 || r.height <= 1;

  // isUnhittable: no press can reach el, whatever lies above it.
  const isUnhittable = (el) => {
    const style = getComputedStyle(el);
    if (style.pointerEvents === 'none' || tiny(rectOf(el)) || CLIPPED.test(style.clipPath)) return true;
    return CLIPPED.test(style.clip) && (style.position === 'absolute' || style.position === 'fixed');
  };

  // faceOf gives what a person would press to press el: el, or where that is a
  // control which a component kit has hidden from view though not from readers,
  // its label, or the box around it that is painted in its stead.
  Act.faceOf = (el) => {
    const editor = writesElsewhere(el);
    if (!(editor || matching(el, CONTROLS)) || !isUnhittable(el)) return el;
    const isFace = (e) => P.isVisible(e) && !tiny(rectOf(e)) && getComputedStyle(e).pointerEvents !== 'none';
    const label = el.labels && [...el.labels].find(isFace);
    if (label) return label;
    let around = P.flatParent(el);
    for (let n = 0; around && around !== doc.body && n < FACE_LEVELS; n++, around = P.flatParent(around)) {
      if (nodeType(around) !== ELEMENT) continue;
      if (!editor && Find.under(around, USABLE).some((e) => e !== el)) break;
      if (isFace(around)) return around;
    }
    return el;
  };

  // Where in a box to press: the middle, and when that stays covered, elsewhere.
  const MIDDLE = [[0.5, 0.5]];
  const ANYWHERE = [...MIDDLE, [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];

  const clipped = (r) => {
    const left = Math.max(r.left, 0);
    const top = Math.max(r.top, 0);
    return { left, top, width: Math.min(r.right, innerWidth) - left, height: Math.min(r.bottom, innerHeight) - top };
  };

  // aim finds a point of el that a press would reach: {x, y}, or {why}.
  // o.at is a wanted point from el's top left corner, o.hit asks for the hit
  // test, wide allows points beside the middle.
  Act.aim = (el, o, wide) => {
    if (o.at) {
      const r = rectOf(el);
      const x = r.left + o.at.x;
      const y = r.top + o.at.y;
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return { why: OUTSIDE };
      const why = o.hit ? Act.blockerAt(el, x, y) : null;
      return why ? { why } : { x, y };
    }
    let why = OUTSIDE;
    for (const box of boxesOf(el)) {
      const c = clipped(box);
      if (c.width <= 0 || c.height <= 0 || c.width * c.height <= MIN_AREA) continue;
      for (const [fx, fy] of wide ? ANYWHERE : MIDDLE) {
        const x = c.left + c.width * fx;
        const y = c.top + c.height * fy;
        const blocker = o.hit ? Act.blockerAt(el, x, y) : null;
        if (!blocker) return { x, y };
        if (why === OUTSIDE) why = blocker;
      }
      if (!wide) break;
    }
    return { why };
  };
  const OUTSIDE = 'element is outside of the viewport';
  Act.OUTSIDE = OUTSIDE;

  // elementAt gives the innermost element at a point, as far down as the tree
  // that el lives in: an overlay inside a foreign shadow root counts as its host.
  const elementAt = (el, x, y) => {
    const roots = [];
    for (let root = treeRootOf(el); root; root = nodeType(root) === FRAGMENT ? treeRootOf(root.host) : null) roots.unshift(root);
    let hit = null;
    for (let i = 0; i < roots.length; i++) {
      const proto = roots[i] === doc ? Document.prototype : ShadowRoot.prototype;
      const e = proto.elementFromPoint.call(roots[i], x, y);
      if (!e) break;
      hit = e;
      if (i + 1 < roots.length && e !== roots[i + 1].host) break;
    }
    return hit;
  };

  // blockerAt says what at a point is not el nor part of it; null when a press
  // there reaches el. A press on the button or link around el reaches it, too,
  // and one on its label.
  Act.blockerAt = (el, x, y) => {
    const hit = elementAt(el, x, y);
    if (!hit) return OUTSIDE;
    const target = closestOver(el, 'button,[role=button],a,[role=link]') || el;
    for (let n = hit; n; n = P.flatParent(n)) {
      if (n === el || n === target) return null;
    }
    const label = closestOver(hit, 'label');
    if (label && (label.control === el || label.contains(el))) return null;
    return describe(el, hit);
  };

  // inTheWay is the outermost element that covered the last element aimed at.
  let inTheWay = null;

  // openByPointer tells whether what covers the element is something that shows
  // because the pointer rests on it.
  Act.openByPointer = () => {
    const el = inTheWay && inTheWay.deref();
    return !!el && matching(el, ':hover');
  };

  const describe = (el, hit) => {
    const around = new Set();
    for (let n = el; n; n = P.flatParent(n)) around.add(n);
    // The topmost element that holds what was hit and not the target says more
    // than an anonymous layer deep inside of a dialog.
    let top = hit;
    for (let n = hit; n && !around.has(n); n = P.flatParent(n)) top = n;
    inTheWay = new WeakRef(top);
    const subtree = top !== hit && !around.has(hit) ? ` from ${P.describe(top)} subtree` : '';
    return `${P.describe(hit)}${subtree} intercepts pointer events`;
  };

  // outerPoint carries a point of a frame's document to the one around it.
  const outerPoint = (frame, x, y) => {
    const r = rectOf(frame);
    const style = getComputedStyle(frame);
    const scale = frame.offsetWidth ? r.width / frame.offsetWidth : 1;
    return {
      x: r.left + (frame.clientLeft + parseFloat(style.paddingLeft) + x) * scale,
      y: r.top + (frame.clientTop + parseFloat(style.paddingTop) + y) * scale,
      scale,
    };
  };

  const inView = (p) => p.x >= 0 && p.y >= 0 && p.x < innerWidth && p.y < innerHeight;

  // reveal scrolls the document around a frame until a point of it is in view.
  const reveal = async (frame, x, y) => {
    frame.scrollIntoViewIfNeeded(true);
    // A frame larger than the window has its middle in view now.
    const p = outerPoint(frame, x, y);
    if (!inView(p)) window.scrollBy({ left: p.x - innerWidth / 2, top: p.y - innerHeight / 2, behavior: 'instant' });
    // The browser finds the process of a frame by what was last drawn.
    await Act.frame();
    await Act.frame();
  };

  // frameHit is outerPoint of a point that shall be in view, for which it
  // scrolls, and with hit get a press: {x, y, scale}, or {why}.
  P.frameHit = async (frame, x, y, hit) => {
    if (!P.isVisible(frame)) return { why: 'the frame around the element is not visible' };
    if (!inView(outerPoint(frame, x, y))) await reveal(frame, x, y);
    return P.batch(() => {
      const p = outerPoint(frame, x, y);
      const r = rectOf(frame);
      if (!inView(p) || p.x < r.left || p.y < r.top || p.x >= r.right || p.y >= r.bottom) return { why: OUTSIDE };
      const why = hit ? Act.blockerAt(frame, p.x, p.y) : null;
      return why ? { why } : p;
    });
  };

  // Events by which a press or a move reaches the page.
  const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  const MOVES = ['pointermove', 'mousemove'];
  // A guard that was never asked for its verdict must not stand in anybody's way.
  const GUARD_MS = 2000;

  let guarding = null;

  // pressCount is how many presses the document has had, whoever took them.
  const pressCount = () => performance.eventCounts.get('pointerdown') || 0;

  Act.unguard = () => {
    if (!guarding) return;
    for (const name of guarding.events) window.removeEventListener(name, guarding.listen, { capture: true });
    guarding = null;
  };

  // guard looks at the real events when they come: something may have moved in
  // between. The first one decides; one that is not for el is kept from the page
  // with all that follow.
  Act.guard = (el, kind) => {
    Act.unguard();
    const until = performance.now() + GUARD_MS;
    const mine = { el, events: kind === 'move' ? MOVES : PRESSES, verdict: null, presses: pressCount() };
    mine.listen = (e) => {
      if (performance.now() > until) {
        if (guarding === mine) P.stop();
        return;
      }
      if (!e.isTrusted) return;
      if (!mine.verdict) Act.hear(el);
      mine.verdict ??= isConnected(el) ? Act.blockerAt(el, e.clientX, e.clientY) || 'hit' : 'gone';
      if (mine.verdict !== 'hit') {
        e.preventDefault();
        e.stopImmediatePropagation();
      }
    };
    for (const name of mine.events) window.addEventListener(name, mine.listen, { capture: true, passive: false });
    guarding = mine;
  };

  // verdict ends the guard and gives its element (null for none) and what became
  // of the events: 'hit', 'gone', what was in the way, 'missed' when no press
  // came to this document, or '' when nothing is known.
  Act.verdict = () => {
    const { el = null, verdict = null, events, presses } = guarding || {};
    Act.unguard();
    if (verdict) return { el, verdict };
    return { el, verdict: events === PRESSES && presses === pressCount() ? 'missed' : '' };
  };
}
