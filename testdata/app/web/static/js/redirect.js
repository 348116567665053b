location.href = document.getElementById('to').dataset.to;
