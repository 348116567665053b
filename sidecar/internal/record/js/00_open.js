// The in-page recorder: one function, put together by the sidecar and run at the
// start of every document, before the page's own scripts. It keeps no global and
// takes away the one that it was given.
//
// name   the binding that carries texts to the sidecar; it is on the global
//        object of this world once, for us to take
// mark   a secret by which the sidecar knows our message on the console
// load   gives a new copy of the recording library; it is given natives
//        and timers
(function (name, mark, load) {
  'use strict';
  const world = globalThis;
  const send = world[name];
  // Taken already: this is the second run in one document.
  if (typeof send !== 'function') return;
  delete world[name];
  const top = world.parent === world;

  // A frame whose parent can read it is recorded by its parent, and one without a
  // document of its own by nobody.
  if (!top && world.location.href === 'about:blank') return;
  try {
    if (!top && world.parent.document) return;
  } catch {
    // The parent is of another site: this frame is recorded here.
  }
