// Gives the elements that may host closed shadow roots, as objects of the
// protocol. Not part of the bundle.
function () {
  return globalThis[Symbol.for('pillion')].takeSuspects();
}
