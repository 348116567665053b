const feed = document.getElementById('feed');
const tick = document.getElementById('tick');
let n = 0;
function step() {
  tick.textContent = ++n;
  const line = document.createElement('li');
  line.textContent = `Event ${n}`;
  feed.append(line);
  feed.dataset.n = n;
  if (feed.childElementCount > 40) feed.firstElementChild.remove();
}
const timer = setInterval(step, 16);
document.getElementById('press').addEventListener('click', () => note('pressed', n));
document.getElementById('stop').addEventListener('click', () => { clearInterval(timer); note('still', n); });
