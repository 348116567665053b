// What each call runs in our world: P.enter, or an empty answer where the bundle
// is not loaded yet. Not part of the bundle.
function (fn, name, ...args) {
  const P = globalThis[Symbol.for('pillion')];
  return P ? P.enter(fn, name, args) : '';
}
