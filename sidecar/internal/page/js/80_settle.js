// After an action: waiting until the page has shown what it does about it.
{
  // QUIET_FRAMES without a change make a page quiet: one in which the change of
  // the action is painted, and one more for what effects and observers do then.
  const QUIET_FRAMES = 2;
  // And so many where something that has come or got a new class can't be seen or
  // pressed yet: on a busy machine the next step may be late.
  const HELD_FRAMES = 6;

  // An animation that makes something vanish is waited for when it ends soon:
  // until then a closed dialog still stands in the snapshot. So is one that lets
  // something grow out of nothing: until there is a box, nobody can press it.
  const VANISH_MS = 400;

  // Kits let things appear in steps, a class for each, and leave them without a
  // size in between. So many changes of class may each node have.
  const CLASS_STEPS = 4;

  // Inserted elements that are looked at: a popup and the boxes around it.
  const ADDED_MAX = 12;

  // News tells frame by frame whether the page changes somewhere where it has
  // not changed before. A clock, a ticker or a list that grows all the time
  // counts once, so a page that is never still does not hold us up.
  class News {
    constructor(known) {
      this.known = known;
      this.steps = new Map(); // by node, how many changes of class it has had
      this.added = new Set(); // the outer elements of what was inserted
      this.fresh = false;
      this.observer = new MutationObserver((records) => this.take(records));
      for (const root of [doc, ...Act.rootsSeen()]) {
        this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      }
    }

    take(records) {
      for (const { target, attributeName, addedNodes } of records) {
        for (const node of addedNodes) this.watch(node);
        const node = nodeType(target) === TEXT ? parentNode(target) || target : target;
        const steps = attributeName === 'class' ? (this.steps.get(node) || 0) + 1 : 0;
        if (steps) this.steps.set(node, steps);
        if (this.known.has(node) && (!steps || steps > CLASS_STEPS)) continue;
        this.known.add(node);
        this.fresh = true;
      }
    }

    // watch keeps an eye on an inserted element and, since kits put boxes around
    // what they insert, on what it holds.
    watch(node) {
      for (let n = node; n && nodeType(n) === ELEMENT && this.added.size < ADDED_MAX; n = firstChild(n)) this.added.add(n);
    }

    // any tells whether there was something new since the last call.
    any() {
      this.take(this.observer.takeRecords());
      const fresh = this.fresh;
      this.fresh = false;
      return fresh;
    }

    end() {
      this.observer.disconnect();
    }
  }

  // What changed right before a press is no news afterwards, either.
  let before = null;

  Act.listenBefore = () => {
    Act.endBefore();
    before = new News(new WeakSet());
  };
  Act.endBefore = () => {
    if (before) before.any();
    if (before) before.end();
  };
  const takeBefore = () => {
    Act.endBefore();
    const known = before ? before.known : new WeakSet();
    before = null;
    return known;
  };

  // rootsSeen gives the shadow roots around the element that was acted on:
  // observers do not look into shadow trees.
  let acted = null;
  Act.rootsSeen = () => {
    const el = acted && acted.deref();
    const roots = [];
    for (let root = el && treeRootOf(el); root && nodeType(root) === FRAGMENT; root = treeRootOf(root.host)) roots.push(root);
    return roots;
  };

  const invisible = (frame) =>
    frame.opacity === '0' || frame.visibility === 'hidden' || frame.display === 'none' || frame.height === '0px' || frame.maxHeight === '0px';

  // shift reads how far a transform moves a box of the given size, in pixels.
  const SHIFT = /translate(3d|X|Y)?\(\s*([-\d.]+)(px|%)?(?:\s*,\s*([-\d.]+)(px|%)?)?/;
  const MATRIX = /^matrix\((?:[^,]+,){4}\s*([-\d.]+),\s*([-\d.]+)\)$/;
  const shift = (transform, width, height) => {
    const m = MATRIX.exec(transform);
    if (m) return { x: Number(m[1]), y: Number(m[2]) };
    const t = SHIFT.exec(transform);
    if (!t) return { x: 0, y: 0 };
    const length = (value, unit, of) => (value === undefined ? 0 : unit === '%' ? (Number(value) * of) / 100 : Number(value));
    const first = length(t[2], t[3], t[1] === 'Y' ? height : width);
    return t[1] === 'Y' ? { x: 0, y: first } : { x: first, y: length(t[4], t[5], height) };
  };

  // leaves: what stands in the window now will have been moved out of it.
  const leaves = (el, frame) => {
    if (!frame.transform || frame.transform === 'none') return false;
    const now = rectOf(el);
    const outside = (left, top) => left >= innerWidth || top >= innerHeight || left + now.width <= 0 || top + now.height <= 0;
    if (outside(now.left, now.top)) return false;
    const is = shift(getComputedStyle(el).transform, now.width, now.height);
    const will = shift(frame.transform, now.width, now.height);
    return outside(now.left - is.x + will.x, now.top - is.y + will.y);
  };

  // invites: it is or holds something to press. Ripples, tooltips and floating
  // labels don't. So many elements of it tell.
  const INVITES_LOOKS = 40;
  const invites = (el) => {
    if (matching(el, Act.USABLE)) return true;
    const pointer = getComputedStyle(el).cursor === 'pointer';
    return [...allIn(el, '*')].slice(0, INVITES_LOOKS).some((e) => matching(e, Act.USABLE) || (!pointer && getComputedStyle(e).cursor === 'pointer'));
  };

  // unready: it has no size yet, or takes no presses until it has come.
  const unready = (el) => {
    const { width, height } = rectOf(el);
    return (width < 1 || height < 1 || getComputedStyle(el).pointerEvents === 'none') && invites(el);
  };

  // Elements whose animation stood still for as long as we waited for it.
  const stuck = new WeakSet();

  // held: something that has come or changed its class is there to be pressed and
  // not there yet.
  const held = (news) => {
    for (const node of [...news.steps.keys(), ...news.added]) {
      if (!isConnected(node) || node.getClientRects().length === 0) continue;
      if (unready(node) || (getComputedStyle(node).opacity === '0' && invites(node))) return true;
    }
    return false;
  };

  // halfway gives an element outside of the one acted on that is being faded,
  // folded or moved away and will be gone soon, or is about to appear and can't be
  // pressed yet. Kits hold an animation for some frames before they let it run.
  const halfway = () => {
    const el = acted && acted.deref();
    for (const a of Document.prototype.getAnimations.call(doc)) {
      const { effect, playState } = a;
      const target = effect && effect.target;
      if (!target || effect.pseudoElement || stuck.has(target) || (el && el.contains(target))) continue;
      const { endTime } = effect.getComputedTiming();
      if (!Number.isFinite(endTime) || endTime - a.currentTime > VANISH_MS) continue;
      const frames = effect.getKeyframes();
      const last = frames[frames.length - 1];
      if (!last) continue;
      if ((playState === 'running' && (invisible(last) || leaves(target, last))) || ((playState === 'running' || playState === 'paused') && unready(target))) return target;
    }
    return null;
  };

  // What was heard since the action, and how long we go on listening in between
  // two of its rests: a popup that a timer opens is in the page before the second.
  let heard = null;
  const LINGER_MS = 1500;

  const forget = () => {
    if (!heard) return;
    clearTimeout(heard.timer);
    heard.news.end();
    heard = null;
  };

  // settle resolves when the page has been quiet for that many frames, or after
  // cap milliseconds. el is what was acted on, null for the page as a whole; again
  // says that it is not the action's first rest.
  const settle = async (el, cap, again, quiet = QUIET_FRAMES) => {
    const started = performance.now();
    let news = again && heard ? heard.news : null;
    if (!news) {
      forget();
      acted = el ? new WeakRef(el) : null;
      news = new News(takeBefore());
    } else {
      clearTimeout(heard.timer);
    }
    heard = { news, timer: setTimeout(forget, cap + LINGER_MS) };
    let frames = 0;
    let awaited = null;
    while (performance.now() - started < cap) {
      await Act.frame();
      frames = news.any() ? 0 : frames + 1;
      if (frames < quiet || (frames < HELD_FRAMES && held(news))) continue;
      awaited = halfway();
      if (!awaited) return { quiet: true };
    }
    if (awaited) stuck.add(awaited);
    return { quiet: false };
  };

  P.settle = (cap, again) => settle(null, cap, again);

  // arrive is settle for a document that has just loaded: scripts render in the
  // next frame, and what has none does not change by itself.
  P.arrive = async (cap) => (doc.scripts.length > 0 ? settle(null, cap, false, 1) : { quiet: true });

  // settlePress ends the guard of a press or move, and settles when it was not
  // kept from the page: {verdict}, see Act.verdict.
  P.settlePress = async (cap) => {
    const { el, verdict } = Act.verdict();
    if (verdict !== 'hit' && verdict !== 'missed' && verdict !== '') return { verdict };
    return { verdict, ...(await settle(el, cap, false)) };
  };
}
