// How the sidecar puts the recorder together: our function, its binding, the mark
// of its messages, and the library in a function of its own, so that it finds a
// module to fill, no console to write to, and natives where it looks for them. Its
// timers are not the page's: whoever waits for those does not wait for us.
// Whatever fails, the page hears of nothing.
try {
  (RECORDER)('BINDING', 'MARK', (natives, timers) => {
    const silent = () => {};
    const module = { exports: {} };
    (function (module, exports, console, globalThis, setTimeout, clearTimeout, requestAnimationFrame) {
LIBRARY
    }).call(undefined, module, module.exports, { log: silent, warn: silent, error: silent, debug: silent, info: silent },
      natives, timers.set, timers.clear, timers.frame);
    return module.exports.record;
  });
} catch {}
