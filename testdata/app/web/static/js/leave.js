// A button for each way, and one way taken on load when ?how names it (several
// with commas). window.leave(name, to) takes one from a test.
const to = document.getElementById('to').dataset.to;
window.leave = (how, target = to) => {
  note('leaving', how);
  try {
    return ways[how](target);
  } catch (error) {
    note(how, `threw ${error.name}`);
  }
};
for (const how of Object.keys(ways)) {
  const button = document.createElement('button');
  button.textContent = how;
  button.className = 'quiet';
  button.addEventListener('click', () => leave(how));
  document.getElementById('ways').append(button);
}
const asked = query.get('how');
if (asked) for (const how of asked.split(',')) leave(how);
