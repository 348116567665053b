// Answers "ping"; anything else is a URL to fetch from inside the worker.
addEventListener('message', async (event) => {
  if (event.data === 'ping') { postMessage('answered'); return; }
  try {
    const answer = await fetch(event.data, { mode: 'no-cors' });
    postMessage(`fetched ${answer.type}`);
  } catch (error) {
    postMessage(`failed ${error.name}`);
  }
});
