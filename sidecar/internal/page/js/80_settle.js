// After an action: waiting until the page has shown what it does about it.
{
  // QUIET_FRAMES without a change make a page quiet: one in which the change of
  // the action is painted, and one more for what effects and observers do then.
  const QUIET_FRAMES = 2;

  // An animation that makes something vanish is waited for when it ends soon:
  // until then a closed dialog still stands in the snapshot.
  const VANISH_MS = 400;

  // News tells frame by frame whether the page changes somewhere where it has
  // not changed before. A clock, a ticker or a list that grows all the time
  // counts once, so a page that is never still does not hold us up.
  class News {
    constructor(known) {
      this.known = known;
      this.fresh = false;
      this.observer = new MutationObserver((records) => this.take(records));
      for (const root of [doc, ...Act.rootsSeen()]) {
        this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      }
    }

    take(records) {
      for (const { target } of records) {
        const node = nodeType(target) === TEXT ? parentNode(target) || target : target;
        if (this.known.has(node)) continue;
        this.known.add(node);
        this.fresh = true;
      }
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

  // vanishing tells whether something outside of the element acted on is being
  // faded or folded away and will be gone soon.
  const vanishing = () => {
    const el = acted && acted.deref();
    return Document.prototype.getAnimations.call(doc).some((a) => {
      const effect = a.effect;
      if (a.playState !== 'running' || !effect || !effect.target || (el && el.contains(effect.target))) return false;
      const { endTime } = effect.getComputedTiming();
      if (!Number.isFinite(endTime) || endTime - a.currentTime > VANISH_MS) return false;
      const frames = effect.getKeyframes();
      return frames.length > 0 && invisible(frames[frames.length - 1]);
    });
  };

  // settle resolves when the page has been quiet for QUIET_FRAMES, or after cap
  // milliseconds. el is what was acted on, null for the page as a whole.
  const settle = async (el, cap) => {
    const started = performance.now();
    acted = el ? new WeakRef(el) : null;
    const news = new News(takeBefore());
    try {
      let frames = 0;
      while (performance.now() - started < cap) {
        await Act.frame();
        frames = news.any() ? 0 : frames + 1;
        if (frames >= QUIET_FRAMES && !vanishing()) return { quiet: true };
      }
      return { quiet: false };
    } finally {
      news.end();
    }
  };

  P.settle = (cap) => settle(null, cap);

  // settlePress ends the guard of a press or move, and settles when it was not
  // kept from the page: {verdict}, see Act.verdict.
  P.settlePress = async (cap) => {
    const { el, verdict } = Act.verdict();
    if (verdict !== 'hit' && verdict !== 'missed' && verdict !== '') return { verdict };
    return { verdict, ...(await settle(el, cap)) };
  };
}
