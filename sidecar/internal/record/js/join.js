// How the sidecar puts the recorder together: our function, its binding, the mark
// of its messages, and the library in a function of its own, so that it finds a
// module to fill, no console to write to, and natives where it looks for them. Whatever fails, the page hears of
// nothing.
try {
  (RECORDER)('BINDING', 'MARK', (natives) => {
    const silent = () => {};
    const module = { exports: {} };
    (function (module, exports, console, globalThis) {
LIBRARY
    }).call(undefined, module, module.exports, { log: silent, warn: silent, error: silent, debug: silent, info: silent }, natives);
    return module.exports.record;
  });
} catch {}
