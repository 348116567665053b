// Acting on elements, part one: what an element must be before it is acted on.
const Act = {};
{
  // Elements that take input themselves, so that a label around them does not
  // speak for another.
  const INTERACTIVE = 'a,input,textarea,button,select,[contenteditable],[role=link],[role=button],[role=checkbox],[role=radio],[role=textbox],[role=switch]';

  // controlOf follows a label, or something in one, to the control it labels.
  Act.controlOf = (el) => {
    if (localName(el) !== 'label' && matching(el, INTERACTIVE)) return el;
    const label = closestOver(el, 'label');
    return (label && label.control) || el;
  };

  // isDisabled also holds for what stands inside a disabled button: a press on
  // it reaches nobody.
  const isDisabled = (el) => {
    if (disabledOf(el, P.roleOf(el)) || matching(el, ':disabled')) return true;
    const button = closestOver(el, 'button');
    return !!button && isNativelyDisabled(button);
  };

  const TEXT_INPUTS = new Set(['', 'date', 'datetime-local', 'email', 'month', 'number', 'password', 'search', 'tel', 'text', 'time', 'url', 'week']);
  const NEVER_READONLY = new Set(['select', 'button']);

  const isReadOnly = (el) => {
    const tag = localName(el);
    if (tag === 'textarea' || (tag === 'input' && TEXT_INPUTS.has(el.type))) {
      if (hasAttr(el, 'readonly')) return true;
    }
    return !NEVER_READONLY.has(tag) && (attr(el, 'aria-readonly') || '').toLowerCase() === 'true';
  };

  const CHECKS = {
    visible: (el) => P.isVisible(el),
    enabled: (el) => !isDisabled(Act.controlOf(el)),
    editable: (el) => !isDisabled(Act.controlOf(el)) && !isReadOnly(Act.controlOf(el)),
  };

  // problem names the first of the wanted states that el is not in; null when
  // it is in all of them. State is looked up afresh on each call.
  Act.problem = (el, wanted) =>
    P.batch(() => {
      for (const name of wanted) {
        if (Object.hasOwn(CHECKS, name) && !CHECKS[name](el)) return `element is not ${name}`;
      }
      return null;
    });

  // A page that is not shown gets no animation frames; timers go on, slowly.
  const HIDDEN_FRAME_MS = 20;
  const LATE_FRAME_MS = 150;

  // frame resolves in the next animation frame, or after a moment where none
  // comes.
  Act.frame = () =>
    new Promise((resolve) => {
      let done = false;
      const go = () => {
        if (!done) {
          done = true;
          clearTimeout(timer);
          cancelAnimationFrame(request);
          resolve();
        }
      };
      const request = requestAnimationFrame(go);
      const timer = setTimeout(go, doc.hidden ? HIDDEN_FRAME_MS : LATE_FRAME_MS);
    });

  // stops is how often Go has called its waits in this document off; a wait ends
  // when it changes.
  Act.stops = 0;
  P.stop = () => {
    Act.stops++;
    Act.unguard();
    Act.endBefore();
  };

  // Log keeps what stood in the way, in order, with how long each did.
  Act.Log = class {
    constructor() {
      this.entries = [];
    }

    add(text) {
      const now = performance.now();
      const last = this.entries[this.entries.length - 1];
      if (last && last.text === text) last.end = now;
      else this.entries.push({ text, start: now, end: now });
      // What came first and what came last tell the story.
      if (this.entries.length > 12) this.entries.splice(6, 1);
    }

    lines() {
      return this.entries.map((e) => {
        const seconds = (e.end - e.start) / 1000;
        return seconds >= 0.1 ? `${e.text} (for ${seconds.toFixed(1)} s)` : e.text;
      });
    }
  };
}
