// Closed shadow roots. Script cannot see them, not even ours: the protocol can,
// element by element, and hands them in through P.adoptRoots. So that it is not
// asked about each element of each page, the walk picks those that may be hosts.

const HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

// Questions per snapshot; each costs the protocol a tenth of a millisecond.
const SUSPECTS_MAX = 40;

const asked = new WeakSet();
let waiting = []; // what Go will ask about

// suspect puts el on the list when it looks as if there was more in it than the
// DOM shows: a custom element; an element whose children are not rendered
// though it is; an empty one that something holds open.
function suspect(list, el, look, tag, box) {
  if (!(box & PAINTED) || list.length >= SUSPECTS_MAX) return;
  const custom = tag.includes('-');
  if ((!custom && !HOSTS.has(tag)) || shadowOf(el) !== null || asked.has(el)) return;
  if (custom || isHollow(el, look)) list.push(el);
}

function isHollow(el, look) {
  let empty = true;
  for (let c = firstChild(el); c; c = nextSibling(c)) {
    const type = nodeType(c);
    if (type === ELEMENT) {
      // An element outside of the flat tree has no computed style.
      return displayOf(c, lookAt(c)) === '';
    }
    if (type === TEXT && textData(c).trim() !== '') {
      if (isTextPainted(c)) return false;
      empty = false;
    }
  }
  if (!empty) return true;
  if (beforeOf(el, look) !== '' || afterOf(el, look) !== '') return false;
  // Empty and yet as high as its content wants: then there is content. One with
  // a height of its own is a spacer or a picture far more often than a host.
  const height = el.computedStyleMap().get('height');
  return height !== undefined && height !== null && height.toString() === 'auto' && displayOf(el, look) !== 'inline';
}

function keepSuspects(list) {
  waiting = list;
  return list.length;
}

// takeSuspects gives the elements to ask about, each only once.
P.takeSuspects = () => {
  const list = waiting;
  waiting = [];
  for (const el of list) asked.add(el);
  return list;
};
