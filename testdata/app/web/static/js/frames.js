let added = 0;
document.getElementById('add').addEventListener('click', () => {
  const frame = document.createElement('iframe');
  frame.src = `/frames/child?name=added${++added}`;
  frame.title = `Added ${added}`;
  frame.addEventListener('load', () => note('loaded', frame.title));
  document.getElementById('more').append(frame);
});
document.getElementById('drop').addEventListener('click', () => document.getElementById('cross')?.remove());
document.getElementById('go').addEventListener('click', () => {
  document.getElementById('same').src = '/frames/child?name=elsewhere';
});
addEventListener('message', (event) => note('message', `${event.origin} ${event.data}`));
