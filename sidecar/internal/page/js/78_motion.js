// After an action: what is still on its way in or out.
//
// Until an animation has ended, a closed dialog still stands in the snapshot, and
// what unfolds has no box to be pressed. Only animations that end soon count, and
// only of what a snapshot prints: not ripples, spinners and shadows.
{
  // Longer ones are for show.
  const SOON_MS = 400;
  // So long a page may take to remove what has moved out of the window, or faded.
  // Some remove it on a timer of their own; some never do.
  const MOVED_OUT_MS = 250;
  const FADED_MS = 100;

  const PRINTED = Act.USABLE + ',[role],img,svg,iframe';
  const isPrinted = (el) => matching(el, PRINTED) || allIn(el, PRINTED).length > 0 || textContent(el).trim() !== '';

  const invisible = (frame) =>
    frame.opacity === '0' || frame.visibility === 'hidden' || frame.display === 'none' || frame.height === '0px' || frame.maxHeight === '0px';

  // shift reads how far a transform moves a box of the given size, in pixels.
  const TRANSLATE = /translate(3d|X|Y)?\(\s*([-\d.]+)(px|%)?(?:\s*,\s*([-\d.]+)(px|%)?)?/;
  const MATRIX = /^matrix\((?:[^,]+,){4}\s*([-\d.]+),\s*([-\d.]+)\)$/;
  const shift = (transform, width, height) => {
    const m = MATRIX.exec(transform);
    if (m) return { x: Number(m[1]), y: Number(m[2]) };
    const t = TRANSLATE.exec(transform);
    if (!t) return { x: 0, y: 0 };
    const length = (value, unit, of) => (value === undefined ? 0 : unit === '%' ? (Number(value) * of) / 100 : Number(value));
    if (t[1] === 'Y') return { x: 0, y: length(t[2], t[3], height) };
    return { x: length(t[2], t[3], width), y: length(t[4], t[5], height) };
  };

  // isOutside: of the window, but for a pixel's edge.
  const isOutside = ({ left, top, width, height }) => left > innerWidth - 1 || top > innerHeight - 1 || left + width < 1 || top + height < 1;

  // leaves: it stands in the window, and the end of the animation takes it out.
  const leaves = (el, frame) => {
    if (!frame.transform || frame.transform === 'none') return false;
    const now = rectOf(el);
    if (isOutside(now)) return false;
    const is = shift(getComputedStyle(el).transform, now.width, now.height);
    const will = shift(frame.transform, now.width, now.height);
    return isOutside({ left: now.left - is.x + will.x, top: now.top - is.y + will.y, width: now.width, height: now.height });
  };

  // goes: at the end of the animation, something that was printed is gone.
  const goes = (effect) => {
    const last = effect.getKeyframes().at(-1);
    return !!last && (invisible(last) || leaves(effect.target, last)) && isPrinted(effect.target);
  };

  // invites: it is or holds something to press. So many elements of it tell.
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

  const isDrawn = (el) => isConnected(el) && Element.prototype.getClientRects.call(el).length > 0;

  // Elements whose animation stood still for as long as we waited for it.
  const stuck = new WeakSet();

  // Motion follows what is halfway in one rest of the page, but for what is inside
  // of the element acted on.
  Act.Motion = class {
    constructor(acted) {
      this.acted = acted;
      this.paused = null;
      this.going = null;
      this.goneBy = 0; // when what went is no longer waited for; 0 while it goes
    }

    // grace is what a rest may take on top, for what goes to be gone.
    get grace() {
      return this.going ? MOVED_OUT_MS : 0;
    }

    // pending tells whether something is halfway.
    pending() {
      const soon = [...Document.prototype.getAnimations.call(doc)].filter((a) => this.concerns(a));
      const running = soon.filter((a) => a.playState === 'running');
      const going = running.find((a) => goes(a.effect));
      if (going) {
        this.going = going.effect.target;
        this.goneBy = 0;
        return true;
      }
      // Kits hold an animation for some frames before they let it run.
      const coming = soon.find((a) => unready(a.effect.target));
      this.paused = coming && coming.playState === 'paused' ? coming.effect.target : null;
      return coming !== undefined || this.lingers();
    }

    // concerns: it will end soon, and not inside of what was acted on.
    concerns({ effect, playState, currentTime }) {
      const target = effect && effect.target;
      if (!target || effect.pseudoElement || (playState !== 'running' && playState !== 'paused')) return false;
      if (stuck.has(target) || (this.acted && this.acted.contains(target))) return false;
      const { endTime } = effect.getComputedTiming();
      return Number.isFinite(endTime) && endTime - currentTime <= SOON_MS;
    }

    // lingers: what went is still there, and may soon be gone.
    lingers() {
      if (!this.going || !isDrawn(this.going) || getComputedStyle(this.going).visibility === 'hidden') return false;
      this.goneBy ||= performance.now() + (isOutside(rectOf(this.going)) ? MOVED_OUT_MS : FADED_MS);
      return performance.now() < this.goneBy;
    }

    // holds: something that has come or changed its class is drawn, and can't be
    // seen or pressed.
    holds(news) {
      for (const el of [...news.steps.keys(), ...news.added]) {
        if (isDrawn(el) && (unready(el) || (getComputedStyle(el).opacity === '0' && invites(el)))) return true;
      }
      return false;
    }

    // giveUp ends a rest in which something was held back all the time: it is not
    // waited for again.
    giveUp() {
      if (this.paused) stuck.add(this.paused);
    }
  };
}
