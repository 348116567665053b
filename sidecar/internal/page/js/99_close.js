// Where calls from Go find P. The page cannot look into this world; the property
// is out of the way of everything else that may run in it.
Object.defineProperty(globalThis, Symbol.for('pillion'), { value: P, configurable: true });
})();
