// The bundle is one closure, evaluated once per document in our isolated world:
// 00 opens it, 99 stores P and closes it, the files between run in name order.
// P is what Go and the other files call. Top-level names are shared by all
// files, so a file that is not part of the snapshot keeps its own in a block.
(() => {
'use strict';
// Two calls may both find the world empty and bring the bundle; the first keeps
// its refs.
if (globalThis[Symbol.for('pillion')]) return;
const P = {};

// A run is one call from Go, or one call of a helper outside of any. It holds
// what may be remembered while the page stands still: the page's own scripts
// cannot run before we return, so styles and boxes stay true for that long.
let run = null;

class Run {
  constructor() {
    this.looks = new Map(); // element -> Look
    this.slots = null; // closed shadow host -> Map(light child -> slot)
    this.range = null; // the one Range of the run
    this.labels = null; // tree root -> Map(control -> its labels)
    this.pseudoAsked = 0; // see 15_pseudogate
    this.pseudoGate = null;
    this.naming = 0; // steps spent on names; see NAMING_BUDGET
  }
}

// scoped makes fn share one run with everything it calls.
function scoped(fn) {
  return (...args) => {
    if (run) return fn(...args);
    run = new Run();
    try {
      return fn(...args);
    } finally {
      run = null;
    }
  };
}

// batch(fn) runs fn with one cache: for loops over many elements. fn must be
// synchronous: nothing may be remembered over an await.
P.batch = (fn) => scoped(fn)();
