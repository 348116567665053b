// Drag and drop: learning what the page makes of it. The events themselves are
// real ones, sent from outside.
{
  let drag = null;

  const forget = () => {
    if (!drag) return;
    for (const [name, fn] of Object.entries(drag.listeners)) window.removeEventListener(name, fn, { capture: true });
    drag = null;
  };

  // watchDrag begins to note what becomes of a drag; dragState says it and, with
  // end, stops. started: the page lets something be dragged; dropped: a drop
  // reached it; over: it is willing to take the drop.
  P.watchDrag = () => {
    forget();
    const mine = { start: null, over: null, drop: null, listeners: {} };
    mine.listeners = {
      dragstart: (e) => (mine.start = e),
      dragover: (e) => (mine.over = e),
      drop: (e) => (mine.drop = e),
    };
    for (const [name, fn] of Object.entries(mine.listeners)) window.addEventListener(name, fn, { capture: true });
    drag = mine;
  };
  P.dragState = (end) => {
    // The events are looked at now, when all of the page's listeners have run.
    const { start, over, drop } = drag || {};
    const state = { started: !!start && !start.defaultPrevented, over: !!over && over.defaultPrevented, dropped: !!drop };
    if (end) forget();
    return state;
  };
}
