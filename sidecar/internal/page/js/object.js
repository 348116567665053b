// Gives the element of a name itself, for calls that need a node and no text.
(name) => {
  const found = globalThis[Symbol.for('pillion')]?.elementOf(name);
  return found?.el || null;
}
