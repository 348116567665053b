const months = [['Jan', 31], ['Feb', 44], ['Mar', 78], ['Apr', 112], ['May', 96], ['Jun', 67]];
const canvas = document.getElementById('chart');
const pen = canvas.getContext('2d');
const left = (i) => 40 + i * 110;
const height = (n) => n * 2;
pen.font = '16px sans-serif';
pen.textAlign = 'center';
months.forEach(([name, n], i) => {
  pen.fillStyle = '#2f8f6b';
  pen.fillRect(left(i), 260 - height(n), 80, height(n));
  pen.fillStyle = '#22302b';
  pen.fillText(name, left(i) + 40, 284);
  pen.fillText(n, left(i) + 40, 250 - height(n));
});
canvas.addEventListener('click', (event) => {
  const hit = months.findIndex((_, i) => event.offsetX >= left(i) && event.offsetX < left(i) + 80);
  const name = hit < 0 ? 'nothing' : months[hit][0];
  document.getElementById('chosen').textContent = name;
  note('chosen', `${name} at ${Math.round(event.offsetX)},${Math.round(event.offsetY)}`);
});
