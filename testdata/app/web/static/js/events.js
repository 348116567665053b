const source = new EventSource(`/events/stream${location.search}`);
source.addEventListener('open', () => note('open'));
source.addEventListener('tick', (event) => { document.getElementById('tick').textContent = event.data; });
source.addEventListener('done', () => { source.close(); note('done'); });
source.addEventListener('error', () => note('error', source.readyState));
document.getElementById('stop').addEventListener('click', () => { source.close(); note('stopped'); });
