let guarding = false;
const ways = {
  alert() { alert('The ledger is full'); note('alert', 'closed'); },
  confirm() { note('confirm', confirm('Delete the order?')); },
  prompt() { note('prompt', prompt('Your name?', 'Ada')); },
  later() { note('later', 'armed'); setTimeout(ways.alert, 500); },
  twice() { alert('The first'); alert('The second'); note('twice', 'closed'); },
  print() { print(); note('print', 'closed'); },
  guard(button) {
    guarding = !guarding;
    button.setAttribute('aria-pressed', guarding);
    note('guard', guarding ? 'on' : 'off');
  },
};
addEventListener('beforeunload', (event) => {
  if (guarding) { event.preventDefault(); note('beforeunload', 'asked'); }
});
for (const button of document.querySelectorAll('[data-dialog]')) {
  button.addEventListener('click', () => ways[button.dataset.dialog](button));
}
if (query.get('on') === 'load') ways[query.get('kind') || 'alert']();
