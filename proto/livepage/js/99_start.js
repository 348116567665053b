if (ticketPath || token) connect();
else {
  wanted = false;
  say('Put the browser’s token behind the address of this page: #token=…', 'Try again');
  $('watch').onclick = () => location.reload();
  addEventListener('hashchange', () => location.reload());
}
})();
