let presses = 0;
document.getElementById('press').addEventListener('click', () => {
  document.getElementById('out').textContent = `pressed ${++presses}`;
  note('pressed', presses);
});
addEventListener('securitypolicyviolation', (event) => note('violation', `${event.effectiveDirective} ${event.blockedURI}`));
