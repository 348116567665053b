// Tables of roles: which exist, which elements imply them, what they allow.

const ROLES = new Set(
  ('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
    'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid ' +
    'gridcell group heading img insertion link list listbox listitem log main mark marquee math meter menu menubar ' +
    'menuitem menuitemcheckbox menuitemradio navigation none note option paragraph presentation progressbar radio ' +
    'radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong ' +
    'subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid ' +
    'treeitem').split(' '),
);

// Elements that imply a role whatever their attributes say. The others have a
// function in 22_roles.
const TAG_ROLES = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption',
  code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term',
  dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', html: 'document', ins: 'insertion',
  li: 'listitem', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
  ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar',
  search: 'search', strong: 'strong', sub: 'subscript', sup: 'superscript', svg: 'img', table: 'table',
  tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list',
};

const INPUT_ROLES = {
  button: 'button', checkbox: 'checkbox', file: 'button', image: 'button', number: 'spinbutton', radio: 'radio',
  range: 'slider', reset: 'button', submit: 'button',
};

// Parts that lose their role with the whole: <li> in <ul role=none>.
const PART_OF = {
  dd: ['dl', 'div'], div: ['dl'], dt: ['dl', 'div'], li: ['ol', 'ul'], tbody: ['table'], td: ['tr'],
  tfoot: ['table'], th: ['tr'], thead: ['table'], tr: ['thead', 'tbody', 'tfoot', 'table'],
};

// A header or footer in one of these belongs to it and is no landmark.
const LANDMARK_STOP =
  'article:not([role]), aside:not([role]), main:not([role]), nav:not([role]), section:not([role]), ' +
  '[role=article], [role=complementary], [role=main], [role=navigation], [role=region]';

// Attributes that keep an element exposed though its role is none, each with
// the roles for which it does not count.
const UNNAMED = new Set(
  'caption code deletion emphasis generic insertion paragraph presentation strong subscript superscript'.split(' '),
);
const NOBODY = new Set();
const GLOBAL_ATTRIBUTES = [
  ...('aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto ' +
    'aria-grabbed aria-hidden aria-keyshortcuts aria-live aria-owns aria-relevant').split(' ').map((n) => [n, NOBODY]),
  ['aria-label', UNNAMED],
  ['aria-labelledby', UNNAMED],
  ['aria-roledescription', new Set(['generic'])],
];

// Roles that never carry a name.
const NAMELESS = new Set([...UNNAMED, 'definition', 'mark', 'suggestion', 'term', 'time']);

// Roles that take their name from their content.
const NAMED_BY_CONTENT = new Set(
  ('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row ' +
    'rowheader switch tab tooltip treeitem').split(' '),
);

// Roles whose content counts for the name of an element around them; '' is an
// element without a role.
const LENDS_CONTENT = new Set([
  '', ...NAMED_BY_CONTENT,
  ...('caption code contentinfo definition deletion emphasis insertion list listitem mark none paragraph ' +
    'presentation region row rowgroup section strong subscript superscript table term time').split(' '),
]);

const roleSet = (names) => new Set(names.split(' '));

// Roles that can have a state.
const CAN_CHECK = roleSet('checkbox menuitemcheckbox option radio switch menuitemradio treeitem');
const CAN_DISABLE = roleSet(
  'application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader ' +
    'combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader searchbox ' +
    'select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem',
);
const CAN_EXPAND = roleSet(
  'application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader ' +
    'menuitemcheckbox menuitemradio switch',
);
const CAN_BE_INVALID = roleSet(
  'application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton switch ' +
    'textbox tree',
);
const HAS_LEVEL = roleSet('heading listitem row treeitem');
const CAN_SELECT = roleSet('gridcell option row tab rowheader columnheader treeitem');
const IS_READONLY = roleSet(
  'checkbox combobox grid gridcell listbox radiogroup slider spinbutton textbox columnheader rowheader searchbox switch ' +
    'treegrid',
);
