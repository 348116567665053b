// The snapshot of one document, and what joins the documents of a page.

// Ids of iframe elements, by which Go knows which frame stands where.
const frameIds = new WeakMap();
let lastFrame = 0;
function frameId(el) {
  let id = frameIds.get(el);
  if (id === undefined) {
    id = ++lastFrame;
    frameIds.set(el, id);
  }
  return id;
}

// frameIdsOf gives the ids of iframe elements that Go has found by other means.
P.frameIdsOf = (...elements) => elements.map(frameId);

// snapshot lists what is under root, or in the whole document, as text.
//
// options: depth (0 = all), boxes, prefix (of refs), max (characters).
// Answer: pieces (text, cut where frames go in), frames (one between each two
// pieces: id, depth of its line, ref), full (max was reached), suspects (how
// many elements may host a closed shadow root that we do not have yet).
P.snapshot = scoped((root, options) => {
  sweepRefs();
  const from = root || docQuery('body, frameset') || documentRoot();
  if (!from) return { pieces: [''], frames: [], full: false, suspects: 0 };
  rectOf(from); // lays the page out: what is asked of it before would be of an older state
  const builder = new TreeBuilder(options);
  const tree = builder.build(from);
  const out = new Renderer(options);
  out.render(tree);
  return {
    pieces: out.pieces.map((p) => p.toWellFormed()),
    frames: out.frames,
    full: out.full,
    suspects: keepSuspects(builder.suspects),
  };
});

// A document without a body is XML or SVG: all of it is content.
function documentRoot() {
  const root = getter(Document.prototype, 'documentElement')(doc);
  return root && root.namespaceURI !== 'http://www.w3.org/1999/xhtml' ? root : null;
}

// activeElement gives the focused element, inside of shadow trees too; null
// when it is the body or nothing.
P.activeElement = () => {
  let el = activeOf(doc);
  for (let shadow = el && shadowOf(el); shadow && shadow.activeElement; shadow = el && shadowOf(el)) el = shadow.activeElement;
  return el && el !== docQuery('body') ? el : null;
};
