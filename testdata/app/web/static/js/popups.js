const child = (name) => `/popups/child?name=${name}`;
const say = (kind, win) => note(kind, win ? 'opened' : 'refused');
const ways = {
  tab() { say('tab', open(child('tab'))); },
  window() { say('window', open(child('window'), 'small', 'width=420,height=320')); },
  noopener() { open(child('noopener'), '_blank', 'noopener'); note('noopener', 'asked'); },
  blank() { const w = open(''); say('blank', w); if (w) w.location = child('later'); },
  written() {
    const w = open('');
    say('written', w);
    if (!w) return;
    w.document.title = 'Written';
    const head = w.document.createElement('h1');
    head.textContent = 'Written by the opener';
    w.document.body.append(head);
  },
  later() { setTimeout(() => say('later', open(child('late'))), 500); },
  three() { for (const n of [1, 2, 3]) say('three', open(child(`n${n}`))); },
  form() { document.getElementById('posted').submit(); note('form', 'posted'); },
};
for (const button of document.querySelectorAll('[data-open]')) {
  button.addEventListener('click', () => ways[button.dataset.open]());
}
addEventListener('message', (event) => note('message', `${event.origin} ${event.data}`));
for (let n = 1; n <= Number(query.get('auto') || 0); n++) say('auto', open(child(`auto${n}`)));
