function show() {
  document.getElementById('cookie').textContent = document.cookie;
  document.getElementById('local').textContent = localStorage.getItem('remembered') ?? 'nothing';
  document.getElementById('session').textContent = sessionStorage.getItem('remembered') ?? 'nothing';
}
document.getElementById('set').addEventListener('submit', (event) => {
  event.preventDefault();
  const value = document.getElementById('value').value;
  document.cookie = `remembered=${encodeURIComponent(value)}; path=/; max-age=86400; samesite=lax`;
  localStorage.setItem('remembered', value);
  sessionStorage.setItem('remembered', value);
  note('remembered', value);
  show();
});
show();
