let presses = 0;
document.getElementById('press').addEventListener('click', () => {
  document.getElementById('out').textContent = `pressed ${++presses}`;
  parent.postMessage(`pressed ${presses}`, '*');
});
