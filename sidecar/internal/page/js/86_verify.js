// Checks of what an element holds.
{
  // Options of a closed <select> are not drawn, and are the items of a list still.
  const isThere = (el) => P.isVisible(el) || (localName(el) === 'option' && !P.isHiddenForAria(el) && P.isVisible(closestTo(el, 'select') || el));

  // lacks gives those of texts that no element in el shows, in any case and with
  // white space made comparable.
  P.lacks = (el, texts) =>
    P.batch(() => {
      const known = new Find.Texts();
      const shows = (text) => {
        const pattern = Find.pattern({ value: text });
        return Find.byText(el, pattern, known).some(isThere) || (Find.smallest(el, pattern, known) && P.isVisible(el));
      };
      return texts.filter((text) => !shows(text));
    });

  const valueOf = (control) => {
    if (['input', 'textarea', 'select'].includes(localName(control))) return control.value;
    if (control.isContentEditable) return Find.tidy(new Find.Texts().rawOf(control));
    const told = attr(control, 'aria-valuetext');
    return told === null ? attr(control, 'aria-valuenow') : told;
  };

  // compare says whether a form control, or the one that el labels, has a value:
  // {same} and, when it has another and that is no secret, {value}; {error} for
  // what has none.
  P.compare = (el, want) =>
    P.batch(() => {
      const control = Act.controlOf(el);
      const value = valueOf(control);
      if (value === null) return { error: 'Node is not an <input>, <textarea> or <select> element' };
      if (value === want) return { same: true };
      return isSecret(control) ? { same: false } : { same: false, value };
    });
}
