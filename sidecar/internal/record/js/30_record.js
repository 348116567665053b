
  const maxEvents = 50; // of one delivery
  const maxWait = 250; // milliseconds to a delivery
  const maxSilence = 2000; // milliseconds between two looks at what the library leans on
  const maxText = 1 << 20; // characters of one delivery, unless one event is longer
  const maxEvent = 16 << 20; // characters of one event
  const maxPart = 4 << 10; // characters of a value in a snapshot that is too long
  const maxErrors = 20; // of the library in one document, before it is given up
  const maxStarts = 20; // in one window; a page could replace its document in a loop

  let run = 0; // counts the starts; events of different ones don't mix
  let library = null; // of the current run
  let stop = null;
  let broken = false;
  let beating = false;
  let errors = 0;
  let snapshots = 0;
  let frames = []; // ids of elements that may hold frames
  let root = null; // of the document that is recorded
  let wired = null; // the document whose events we listen to
  let waiting = ''; // events that are not delivered yet
  let count = 0;

  const tell = (text) => {
    try {
      if (text) send(text);
    } catch {
      // The page is going away; the sidecar counts what it has.
    }
  };

  const take = () => {
    const text = waiting;
    waiting = '';
    count = 0;
    return text ? `e${run}:[${text}]` : '';
  };

  const flush = () => {
    if (!broken && run && !intact()) giveUp('natives');
    tell(take());
  };

  // A page that silences the library is found out without any event.
  const beat = () => {
    beating = true;
    if (!broken) flush();
    later(beat, maxSilence);
  };

  // giveUp leaves the document to the sidecar, which records it from a world that
  // the page can't reach, and sees less there.
  const giveUp = (why) => {
    broken = true;
    try {
      if (stop) stop();
    } catch {
      // It is as broken as the rest.
    }
    stop = null;
    tell(`x${run}:${why}`);
  };

  const emit = (event) => {
    if (broken) return;
    try {
      event.timestamp = now();
      veilEvent(event, library.mirror, frames);
      let text = stringify(event);
      if (text.length > maxEvent && event.type === 2) {
        slim(event.data.node);
        text = stringify(event);
      }
      if (text.length > maxEvent) {
        tell(`d${run}:1`);
        return;
      }
      if (event.type === 2) snapshots++;
      if (waiting && waiting.length + text.length > maxText) tell(take());
      waiting = waiting ? `${waiting},${text}` : text;
      if (++count === 1) later(flush, maxWait);
      if (count >= maxEvents || waiting.length > maxText) flush();
    } catch {
      tell(`d${run}:1`);
      if (++errors === maxErrors) giveUp('errors');
    }
  };

  // slim takes the bulk out of a snapshot that is too long to be delivered.
  const slim = (node) => {
    const attributes = node.attributes;
    for (const key in attributes) {
      if (typeof attributes[key] === 'string' && attributes[key].length > maxPart) attributes[key] = '';
    }
    if (typeof node.textContent === 'string') node.textContent = cut(node.textContent, 0, maxPart);
    const children = node.childNodes;
    if (children) for (let i = 0; i < children.length; i++) slim(children[i]);
  };

  const onError = () => {
    if (!broken && ++errors === maxErrors) giveUp('errors');
    if (errors === 1) later(flush, 0);
    return true; // and nobody hears of it in the page
  };

  const begin = () => {
    if (run >= maxStarts) return;
    if (run) {
      tell(take());
      try {
        if (stop) stop();
      } catch {
        // A new copy takes over.
      }
    }
    run++;
    broken = false;
    errors = snapshots = 0;
    frames = [];
    root = rootOf(world.document);
    announce();
    if (!intact()) return giveUp('natives');
    try {
      library = load(natives, timers);
      stop = library({
        emit,
        maskInputOptions: { input: true, textarea: true, select: true },
        maskInputFn: maskInput,
        maskTextSelector: '[contenteditable]:not([contenteditable="false"]), :read-write',
        sampling: { mousemove: 50, scroll: 150, input: 'last' },
        slimDOMOptions: { script: true, comment: true, headMetaVerification: true },
        errorHandler: onError,
      });
    } catch {
      stop = null;
    }
    if (!snapshots) giveUp('start');
    if (beating) flush();
    else beat();
  };

  // wire listens to the document that the window shows now, and begins as soon as
  // its DOM is ready. document.open takes all listeners away, and a window may
  // outlive its first, empty document.
  const wire = () => {
    const doc = world.document;
    wired = doc;
    listen(doc, 'readystatechange', ready, true);
    listen(doc, 'visibilitychange', flush, true);
    listen(world, 'pagehide', leave, true);
    // Of a page that goes to another process, pagehide comes too late.
    if (top) listen(world, 'beforeunload', flush, true);
    observe(watch, doc, { childList: true });
    ready();
  };

  const ready = () => {
    try {
      const doc = world.document;
      if (readyState(doc) !== 'loading' && rootOf(doc) && rootOf(doc) !== root) begin();
    } catch {
      giveUp('start');
    }
  };

  const leave = () => {
    flush();
    later(look, 0);
  };

  const look = () => {
    if (world.document !== wired || rootOf(world.document) !== root) wire();
  };

  const watch = new Observer(() => {
    if (root && rootOf(world.document) !== root) wire();
  });
