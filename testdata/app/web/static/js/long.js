// One listener for all rows: a listener each would be the page's own weight.
document.querySelector('main').addEventListener('click', (event) => {
  if (event.target.localName !== 'button') return;
  document.getElementById('out').textContent = event.target.textContent;
  note('pressed', event.target.textContent);
});
