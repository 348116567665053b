// The door for calls from Go.

// enter calls P[fn], with the element of name as first argument when there is a
// name, and answers in JSON: {value}, {error} for an exception, or {lost} and
// why for an element that is not there. A promise is answered when it settles.
P.enter = (fn, name, args) => {
  if (doc !== document) {
    doc = document;
    newDocument();
  }
  const told = (error) => JSON.stringify({ error: String(error && error.stack ? error.message : error) });
  const answer = (value) => JSON.stringify({ value: value === undefined ? null : value });
  try {
    if (name) {
      const { el, ...lost } = P.elementOf(name);
      if (!el) return JSON.stringify({ lost });
      args.unshift(el);
    }
    const value = P[fn](...args);
    return value instanceof Promise ? value.then(answer).catch(told) : answer(value);
  } catch (e) {
    return told(e);
  }
};
