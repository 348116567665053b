const wait = Number(query.get('after') || 400);
const late = document.getElementById('late');
const field = document.getElementById('field');
const place = document.getElementById('place');
function start() {
  late.disabled = field.disabled = true;
  place.replaceChildren();
  setTimeout(() => {
    late.disabled = field.disabled = false;
    const button = document.createElement('button');
    button.textContent = 'Appeared late';
    button.addEventListener('click', () => note('pressed', 'appeared'));
    place.append(button);
    note('ready', wait);
  }, wait);
}
late.addEventListener('click', () => note('pressed', 'late'));
field.addEventListener('change', () => note('typed', field.value));
document.getElementById('again').addEventListener('click', start);
start();
