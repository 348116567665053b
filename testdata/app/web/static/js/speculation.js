const rules = {};
for (const kind of ['prefetch', 'prerender']) {
  const urls = query.getAll(kind);
  if (!urls.length) continue;
  rules[kind] = [{ source: 'list', urls, eagerness: 'immediate' }];
  for (const url of urls) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = url;
    link.textContent = `${kind} ${url}`;
    item.append(link);
    document.getElementById('links').append(item);
  }
}
const script = document.createElement('script');
script.type = 'speculationrules';
script.textContent = JSON.stringify(rules);
document.head.append(script);
note('rules', script.textContent);
