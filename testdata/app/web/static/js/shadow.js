class ShopField extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: this.getAttribute('mode') });
    const name = this.getAttribute('label');
    const label = document.createElement('label');
    const input = document.createElement('input');
    label.append(`${name} `, input);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `Save ${name.toLowerCase()}`;
    button.addEventListener('click', () => note('saved', `${name}: ${input.value}`));
    const hint = document.createElement('slot');
    hint.name = 'hint';
    root.append(label, button, hint);
  }
}
class ShopPanel extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    const heading = document.createElement('h3');
    heading.textContent = 'Panel';
    const inner = document.createElement('shop-field');
    inner.setAttribute('mode', 'closed');
    inner.setAttribute('label', 'Inner field');
    root.append(heading, inner, document.createElement('slot'));
  }
}
customElements.define('shop-field', ShopField);
customElements.define('shop-panel', ShopPanel);
