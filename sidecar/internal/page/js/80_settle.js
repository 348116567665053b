// After an action: waiting until the page has shown what it does about it.
{
  // QUIET_FRAMES without a change make a page quiet: one in which the change of
  // the action is painted, and one more for what effects and observers do then.
  const QUIET_FRAMES = 2;
  // And so many where something that has come or got a new class can't be seen or
  // pressed yet: on a busy machine the next step may be late.
  const HELD_FRAMES = 6;

  // Kits let things appear in steps, a class for each, and leave them without a
  // size in between. So many changes of class may each node have.
  const CLASS_STEPS = 4;
  const STEPPING_MAX = 40; // nodes

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
        if (steps && (steps > 1 || this.steps.size < STEPPING_MAX)) this.steps.set(node, steps);
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
    forget();
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

  // hear begins to listen to what becomes of an action on el, null for the page as
  // a whole. A press begins it with its first event, so that what the handlers do
  // at once is heard.
  Act.hear = (el) => {
    forget();
    acted = el ? new WeakRef(el) : null;
    heard = { news: new News(takeBefore()), timer: setTimeout(forget, LINGER_MS), pressed: el };
  };

  // settle resolves when the page has been quiet for that many frames, or after
  // cap milliseconds. again says that it is not the action's first rest.
  const settle = async (cap, again, quiet = QUIET_FRAMES) => {
    const started = performance.now();
    if (!heard || !again) Act.hear(null);
    const { news, timer } = heard;
    clearTimeout(timer);
    heard.timer = setTimeout(forget, cap + LINGER_MS);
    const motion = new Act.Motion(acted && acted.deref());
    let frames = 0;
    while (performance.now() - started < cap + motion.grace) {
      await Act.frame();
      frames = news.any() ? 0 : frames + 1;
      if (frames < quiet || (frames < HELD_FRAMES && motion.holds(news))) continue;
      if (!motion.pending()) return { quiet: true };
      frames = 0;
    }
    motion.giveUp();
    return { quiet: false };
  };

  P.settle = settle;

  // arrive is settle for a document that has just loaded: scripts render in the
  // next frame, and what has none does not change by itself.
  P.arrive = async (cap) => (doc.scripts.length > 0 ? settle(cap, false, 1) : { quiet: true });

  // settlePress ends the guard of a press or move, and settles when it was not
  // kept from the page: {verdict}, see Act.verdict.
  P.settlePress = async (cap) => {
    const { el, verdict } = Act.verdict();
    if (verdict !== 'hit' && verdict !== 'missed' && verdict !== '') return { verdict };
    if (!heard || heard.pressed !== el) Act.hear(el);
    // What the handlers did at once is drawn in the next frame, which we wait for
    // anyway.
    heard.news.any();
    return { verdict, ...(await settle(cap, true)) };
  };
}
