// Tells a file input that its chooser was closed without a choice, as the
// browser does when a person does so.
function () {
  this.dispatchEvent(new Event('cancel', { bubbles: true }));
}
