// Acting on elements, part four: waiting until an element can be acted on.
{
  // Pauses between tries to scroll a covered element into the open.
  const BACKOFF_MS = [0, 20, 100, 100, 500];
  // So long a menu that was opened by the pointer may stay in the way before the
  // pointer is taken off it.
  const MENU_MS = 150;
  // After so many tries a point beside the middle will do.
  const WIDE_AFTER = 3;
  // Where to scroll to, in turn: sticky headers and footers cover some of them.
  const PLACES = [null, 'center', 'end', 'start'];

  const scrollTo = (el, n) => {
    const place = PLACES[n % PLACES.length];
    if (place) Element.prototype.scrollIntoView.call(el, { block: place, inline: place, behavior: 'instant' });
    else if (el.scrollIntoViewIfNeeded) el.scrollIntoViewIfNeeded(true);
    else Element.prototype.scrollIntoView.call(el, { block: 'center', inline: 'center', behavior: 'instant' });
  };

  // ready waits until el is in the states o.need ('visible', 'enabled',
  // 'editable'), and with o.stable does not move, with o.scroll is in the
  // viewport, with o.hit gets a press at its point. It looks once a frame, so it
  // answers in the frame in which the last obstacle goes.
  //
  // o.asideOnce allows to ask for the pointer to be moved aside, see below.
  //
  // o.budget is in milliseconds; o.tries how often the element was scrolled in
  // earlier calls; o.guard ('press' or 'move') watches the events that follow.
  //
  // The answer is {x, y, box} or one of {gone}, {stopped}, {late} with {log}, what
  // stood in the way, and {hovering}: something covers el that shows only because
  // the pointer rests on it.
  P.ready = async (el, o) => {
    const { stops } = Act;
    const started = performance.now();
    const log = new Act.Log();
    let tries = o.tries || 0;
    let scrolled = -Infinity;
    const rest = new Act.Rest();
    for (;;) {
      if (stops !== Act.stops) return { stopped: true };
      if (!isConnected(el)) return { gone: true, log: log.lines() };
      let why = Act.problem(el, o.need);
      let spot = {};
      const face = !why && o.hit ? P.batch(() => Act.faceOf(el)) : el;
      if (!why && o.scroll) {
        const wide = tries > WIDE_AFTER;
        spot = P.batch(() => Act.aim(face, o, wide));
        if (spot.why && performance.now() - scrolled >= BACKOFF_MS[Math.min(tries, BACKOFF_MS.length - 1)]) {
          scrollTo(face, tries++);
          scrolled = performance.now();
          rest.forget();
          spot = P.batch(() => Act.aim(face, o, wide));
        }
        why = spot.why;
        if (why && o.asideOnce && performance.now() - started > MENU_MS && Act.openByPointer()) return { hovering: true, tries, log: log.lines() };
      }
      if (!why) {
        const box = rectOf(face);
        const motion = o.stable ? rest.look(face, box) : 'rests';
        if (motion === 'rests') {
          if (o.guard) Act.guard(face, o.guard);
          return { x: spot.x, y: spot.y, box: { x: box.x, y: box.y, width: box.width, height: box.height }, tries };
        }
        if (motion === 'moved') log.add('element is not stable: it moved all the time');
        if (motion === 'first' && o.guard) Act.listenBefore();
      } else {
        rest.forget();
        log.add(why);
      }
      if (performance.now() - started >= o.budget) return { late: true, log: log.lines() };
      await Act.frame();
    }
  };
}
