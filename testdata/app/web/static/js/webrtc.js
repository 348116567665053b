const state = document.getElementById('state');
const servers = query.getAll('stun').map((urls) => ({ urls, username: 'ada', credential: 'ada' }));
async function gather() {
  const peer = new RTCPeerConnection({ iceServers: servers });
  peer.addEventListener('icecandidate', ({ candidate }) => {
    if (!candidate?.candidate) return;
    const line = document.createElement('li');
    line.textContent = candidate.candidate;
    document.getElementById('candidates').append(line);
    note('candidate', candidate.candidate);
  });
  peer.addEventListener('icecandidateerror', (event) => note('candidate error', `${event.url} ${event.errorCode}`));
  peer.addEventListener('icegatheringstatechange', () => {
    state.textContent = peer.iceGatheringState;
    note('state', peer.iceGatheringState);
  });
  peer.createDataChannel('orders');
  await peer.setLocalDescription(await peer.createOffer());
}
if (window.RTCPeerConnection) gather().catch((error) => note('error', error.name));
else { state.textContent = 'unavailable'; note('unavailable'); }
