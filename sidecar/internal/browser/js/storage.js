// Called with {set: [{name, value}]} or {}: writes the items, returns all of them.
(arg) => {
  for (const item of arg.set || []) localStorage.setItem(item.name, item.value);
  return Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) }));
}
