// The snapshot of one document, and what joins the documents of a page.

// The iframe elements that Go has told us the frames of, both ways.
const frameOf = new WeakMap(); // element -> id of its frame
const frameOwners = new Map(); // id -> WeakRef(element)

// bindFrames tells which frames are in which elements: ids, then the elements.
P.bindFrames = (ids, ...elements) => {
  ids.forEach((id, i) => {
    frameOf.set(elements[i], id);
    frameOwners.set(id, new WeakRef(elements[i]));
  });
};

// frameOwner gives a key for the element of a frame; null for a frame that
// nobody has told us of.
P.frameOwner = (id) => {
  const el = frameOwners.get(id)?.deref();
  return el && isConnected(el) ? P.keep(el) : null;
};

// snapshot lists what is under root, or in the whole document, as text.
//
// options: doc (the document that is meant; '' = any), depth (of the last level
// that is shown; less than 0 = all), boxes,
// prefix (of refs), budget (characters, after which no more is looked at than
// needed; 0 = none), max (characters, a hard limit).
// Answer: doc (the document; when it is not the one that was meant, nothing
// else), pieces (text, cut where frames go in), frames (one between each two
// pieces: id or '', depth of its line), full (max was reached), refs (how many
// there are by now), suspects (how many elements may host a closed
// shadow root that we do not have yet), title (the document's, its first TITLE_MAX
// characters).
const TITLE_MAX = 4096;

P.snapshot = scoped((root, options) => {
  const answer = { doc: docKey, pieces: [''], frames: [], full: false, refs: 0, suspects: 0, title: '' };
  if (options.doc && options.doc !== docKey) return answer;
  answer.title = docTitle(doc).slice(0, TITLE_MAX);
  sweepRefs();
  const from = root || docQuery('body, frameset') || documentRoot();
  if (!from) return answer;
  rectOf(from); // lays the page out: what is asked of it before would be of an older state
  const builder = new TreeBuilder(options);
  const tree = builder.build(from);
  const out = new Renderer(options);
  out.render(tree);
  answer.pieces = out.pieces;
  answer.frames = out.frames;
  answer.full = out.full;
  answer.refs = lastRef;
  answer.suspects = keepSuspects(builder.suspects);
  return answer;
});

// A document without a body is XML or SVG: all of it is content.
function documentRoot() {
  const root = rootElementOf(doc);
  return root && namespaceOf(root) !== HTML_NAMESPACE ? root : null;
}

// activeElement gives the focused element, inside of shadow trees too; null
// when it is the body or nothing.
P.activeElement = () => {
  let el = activeOf(doc);
  for (let shadow = el && shadowOf(el); shadow && shadow.activeElement; shadow = el && shadowOf(el)) el = shadow.activeElement;
  return el && el !== docQuery('body') ? el : null;
};

// here answers whether an element is in the page: by being called.
P.here = () => true;
