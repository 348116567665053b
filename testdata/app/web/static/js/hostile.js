// Breaks what a script in the page's own world would lean on. A tool that works
// in a world of its own does not notice; one that does not, lies or fails.
document.getElementById('press').addEventListener('click', () => {
  document.getElementById('out').firstChild.data = 'pressed';
  account.push({ kind: 'pressed', text: '' });
});
const lie = () => 'hijacked';
const fail = () => { throw new Error('hijacked'); };
const replace = (object, names, by) => {
  for (const name of names) Object.defineProperty(object, name, { value: by, configurable: true, writable: true });
};
replace(Element.prototype, ['getAttribute', 'matches', 'closest', 'click', 'scrollIntoView'], lie);
replace(Document.prototype, ['querySelector', 'querySelectorAll', 'createTreeWalker', 'elementFromPoint'], fail);
replace(Node.prototype, ['contains', 'appendChild'], fail);
replace(EventTarget.prototype, ['dispatchEvent'], fail);
replace(window, ['getComputedStyle', 'requestAnimationFrame', 'setTimeout', 'MutationObserver', 'fetch'], fail);
replace(String.prototype, ['trim', 'replace', 'slice'], lie);
replace(JSON, ['stringify', 'parse'], lie);
replace(Array.prototype, ['map', 'filter', 'join'], lie);
Object.defineProperty(Object.prototype, 'toJSON', { value: lie, configurable: true });
Object.defineProperty(document, 'title', { get: lie });
Object.defineProperty(document, 'readyState', { get: () => 'loading' });
