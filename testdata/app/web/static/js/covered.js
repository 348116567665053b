for (const button of document.querySelectorAll('[data-press]')) {
  button.addEventListener('click', () => note('pressed', button.dataset.press));
}
document.getElementById('overlay').addEventListener('click', () => note('overlay', 'clicked'));
document.getElementById('accept').addEventListener('click', (event) => {
  event.stopPropagation();
  document.getElementById('overlay').remove();
  note('accepted');
});
const toast = document.getElementById('toast');
document.getElementById('toaster').addEventListener('click', () => {
  toast.hidden = false;
  setTimeout(() => { toast.hidden = true; note('toast', 'left'); }, Number(query.get('after') || 400));
});
// Scrolled so that the button is in view and yet under the sticky head.
const scroller = document.getElementById('scroller');
const under = scroller.querySelector('[data-press]');
scroller.scrollTop += under.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 12;
