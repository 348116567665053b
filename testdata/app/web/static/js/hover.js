const menu = document.getElementById('menu');
menu.addEventListener('mouseenter', () => note('menu', 'opened'));
menu.addEventListener('mouseleave', () => note('menu', 'closed'));
for (const item of menu.querySelectorAll('[role=menuitem]')) {
  item.addEventListener('click', () => note('chosen', item.textContent));
}
const tip = document.getElementById('tip');
const tipped = document.getElementById('tipped');
tipped.addEventListener('mouseenter', () => { tip.hidden = false; });
tipped.addEventListener('mouseleave', () => { tip.hidden = true; });
