function (call, ...objects) {
  const P = globalThis[Symbol.for('pillion')];
  if (!P) return '';
  const [fn, name, args] = JSON.parse(call);
  return P.enter(fn, name, [...args, ...objects]);
}
