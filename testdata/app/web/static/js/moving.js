const mover = document.getElementById('mover');
const lasts = Number((query.get('for') || '800').replace('ms', ''));
function move() {
  const run = mover.animate([{ transform: 'none' }, { transform: 'translateX(480px)' }], { duration: lasts, fill: 'forwards' });
  run.addEventListener('finish', () => note('rests'));
}
mover.addEventListener('click', () => note('pressed', 'mover'));
document.getElementById('restless').addEventListener('click', () => note('pressed', 'restless'));
document.getElementById('again').addEventListener('click', move);
move();
