// An editable area is no form control: its text travels in a hidden field.
document.querySelector('form').addEventListener('formdata', (event) => {
  for (const area of document.querySelectorAll('[data-field]')) {
    event.formData.set(area.dataset.field, area.innerText.trim());
  }
});
document.querySelector('form').addEventListener('reset', () => {
  for (const area of document.querySelectorAll('[data-field]')) area.textContent = '';
});
