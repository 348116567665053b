// Runs in the page's own world, for the moment of one action: an expression
// whose value watches the short timers that the action's handlers set. Timers
// are known to nobody else; see the package's "Why".
(() => {
  // What is due later than this after the action is not waited for.
  const HORIZON_MS = 500;
  // A timer that is set by a watched timer is watched, too, but not for ever:
  // pages poll that way.
  const LONGEST_CHAIN = 3;
  // Events during which a new timer counts as set by the action.
  const CAUSES = new Set(
    ('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu pointermove mousemove pointerover mouseover pointerenter mouseenter ' +
      'pointerout mouseout pointerleave mouseleave keydown keypress keyup beforeinput input change submit focus blur focusin focusout ' +
      'dragstart drag dragenter dragover dragleave drop dragend').split(' '),
  );
  const own = Object.getOwnPropertyDescriptor(window, 'setTimeout');
  const ownClear = Object.getOwnPropertyDescriptor(window, 'clearTimeout');
  if (!own || !ownClear || !own.configurable || !ownClear.configurable || typeof own.value !== 'function' || typeof ownClear.value !== 'function') return null;
  const set = own.value;
  const clear = ownClear.value;
  const started = performance.now();
  const pending = new Set();
  let waiting = [];
  let links = 0; // > 0 while a watched timer runs: which of its chain it is
  let acting = false; // in the task of an event of the action

  // The page's own events, promises and effects that follow from the action's
  // event come in the same task, or before the first timer after it.
  const act = () => {
    if (acting) return;
    try {
      set.call(window, () => (acting = false), 0);
      acting = true;
    } catch (e) {
      // The page broke its own timers; there is nothing to wait for then.
    }
  };
  try {
    for (const name of CAUSES) window.addEventListener(name, act, { capture: true, passive: true });
  } catch (e) {
    return null;
  }

  const settled = () => {
    if (pending.size || !waiting.length) return;
    for (const tell of waiting) tell(true);
    waiting = [];
  };

  function setTimeout(handler, delay, ...args) {
    const ms = Number(delay) || 0;
    const link = links + 1;
    const caused = links > 0 || acting || (window.event && CAUSES.has(window.event.type));
    if (typeof handler !== 'function' || !caused || link > LONGEST_CHAIN || performance.now() - started + ms > HORIZON_MS) {
      return set.call(window, handler, delay, ...args);
    }
    const run = function (...given) {
      links = link;
      try {
        return handler.apply(this, given);
      } finally {
        links = 0;
        pending.delete(id);
        // What the handler promised to do next comes before our answer.
        if (waiting.length) set.call(window, settled, 0);
      }
    };
    const id = set.call(window, run, delay, ...args);
    pending.add(id);
    return id;
  }

  function clearTimeout(id) {
    pending.delete(id);
    settled();
    return clear.call(window, id);
  }

  Object.defineProperty(window, 'setTimeout', { ...own, value: setTimeout });
  Object.defineProperty(window, 'clearTimeout', { ...ownClear, value: clearTimeout });

  return {
    // idle tells whether there was anything to wait for, when all of it has run.
    idle() {
      if (!pending.size) return false;
      return new Promise((resolve) => {
        waiting.push(resolve);
        set.call(window, () => resolve(true), Math.max(HORIZON_MS - (performance.now() - started), 0));
      });
    },
    // end puts back what was there, unless the page has wrapped it meanwhile.
    end() {
      for (const name of CAUSES) window.removeEventListener(name, act, { capture: true });
      if (window.setTimeout === setTimeout) Object.defineProperty(window, 'setTimeout', own);
      if (window.clearTimeout === clearTimeout) Object.defineProperty(window, 'clearTimeout', ownClear);
    },
  };
})();
