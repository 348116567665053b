// Called in the page's own world, with a function or any other value as this and
// perhaps an element: calls the function, awaits what comes of it, and writes it
// as JSON. What JSON has no word for is told in words.
async function (...args) {
  const value = await (typeof this === 'function' ? this(...args) : this.valueOf());
  if (value === undefined) return undefined;
  const seen = [];
  const word = (v) => {
    if (typeof Node === 'function' && v instanceof Node) return `ref: <${v.nodeName}>`;
    if (v === globalThis) return 'ref: <Window>';
    return undefined;
  };
  const text = JSON.stringify(value, function (key, v) {
    if (typeof v === 'bigint') return `${v}n`;
    if (typeof v === 'number' && !Number.isFinite(v)) return String(v);
    if (typeof v === 'function') return key === '' ? undefined : `ref: <Function ${v.name}>`;
    if (v instanceof Map) return [...v];
    if (v instanceof Set) return [...v];
    if (v instanceof Error) return String(v.stack || v);
    if (typeof v === 'object' && v !== null) {
      const w = word(v);
      if (w !== undefined) return w;
      while (seen.length && seen[seen.length - 1] !== this) seen.pop();
      if (seen.includes(v)) return 'ref: <Circular>';
      seen.push(v);
    }
    return v;
  });
  const limit = 16 << 20;
  if (text !== undefined && text.length > limit) throw new RangeError(`the value is ${text.length} characters of JSON, over the limit of ${limit}: return less of it`);
  return text;
}
