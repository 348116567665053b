// The flat tree: what is composed of light trees, shadow trees and slots.

// Closed shadow roots that Go has handed in, by host. The weak map keeps
// nothing alive; the count spares the look-up on the pages that have none.
const closedRoots = new WeakMap();
let closedCount = 0;

// adoptRoots remembers closed shadow roots; args are the roots themselves.
P.adoptRoots = (...roots) => {
  for (const root of roots) {
    closedRoots.set(root.host, root);
    closedCount++;
  }
};

const closedRootOf = (el) => (closedCount && closedRoots.get(el)) || null;

// shadowOf gives the shadow root of el, open or handed in; null for none.
function shadowOf(el) {
  return openShadowRoot(el) || closedRootOf(el);
}
P.shadowOf = shadowOf;

// slotOf gives the slot that node is assigned to; null for none. The DOM hides
// the slots of closed trees, so those are asked from their own side.
function slotOf(node) {
  const slot = nodeType(node) === ELEMENT ? elementSlot(node) : nodeType(node) === TEXT ? textSlot(node) : null;
  if (slot || !closedCount) return slot;
  const host = parentElement(node);
  const root = host && closedRootOf(host);
  if (!root) return null;
  const cache = run ? (run.slots ||= new Map()) : new Map();
  let slots = cache.get(host);
  if (!slots) {
    slots = new Map();
    for (const s of root.querySelectorAll('slot')) {
      if (localName(s)) for (const n of s.assignedNodes()) slots.set(n, s);
    }
    cache.set(host, slots);
  }
  return slots.get(node) || null;
}

// parentOrHost goes up one step, out of a shadow tree to its host, but not
// through slots.
function parentOrHost(node) {
  const parent = parentNode(node);
  if (!parent) return null;
  const type = nodeType(parent);
  if (type === ELEMENT) return parent;
  return type === FRAGMENT ? parent.host || null : null;
}

// flatParent goes up one step in the flat tree: a slotted node's parent is its
// slot, a shadow root's child's parent is the host.
P.flatParent = (node) => slotOf(node) || parentOrHost(node);

// treeRootOf gives the document or shadow root that el lives in, else null.
function treeRootOf(el) {
  if (!isConnected(el) && !parentNode(el)) return null;
  const root = Node.prototype.getRootNode.call(el);
  const type = nodeType(root);
  return type === DOCUMENT || type === FRAGMENT ? root : null;
}

const byId = (root, id) => (root === doc ? docById(id) : DocumentFragment.prototype.getElementById.call(root, id));

// idRefs resolves a space separated list of ids in el's own tree, without
// repeats.
function idRefs(el, ids) {
  if (!ids) return [];
  const root = treeRootOf(el);
  if (!root) return [];
  const found = [];
  for (const id of ids.split(' ')) {
    const hit = id && byId(root, id);
    if (hit && !found.includes(hit)) found.push(hit);
  }
  return found;
}

// closestOver is closest() that also looks outside of shadow trees.
function closestOver(el, css) {
  for (let e = el; e; ) {
    const hit = closestTo(e, css);
    if (hit) return hit;
    const root = treeRootOf(e);
    e = root && nodeType(root) === FRAGMENT ? root.host : null;
  }
  return null;
}
