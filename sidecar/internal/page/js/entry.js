// What each call runs in our world: P.enter, or an empty answer where the bundle
// is not loaded yet. call is JSON: function, name of the element or "", and
// arguments; objects of the protocol follow it. Not part of the bundle.
function (call, ...objects) {
  const P = globalThis[Symbol.for('pillion')];
  if (!P) return '';
  const [fn, name, args] = JSON.parse(call);
  return P.enter(fn, name, [...args, ...objects]);
}
