import { Collapse, Segmented, Table, Tabs, Tree } from 'antd';
import { useState } from 'react';
import { Facts, PEOPLE, useFacts } from '../shared.jsx';

const BRANCHES = [
  { key: 'src', title: 'src', children: [{ key: 'main', title: 'main.js' }, { key: 'util', title: 'util.js' }] },
  { key: 'docs', title: 'docs', children: [{ key: 'intro', title: 'intro.md' }] },
];

// moved takes a node out of the tree and puts it into the one that it was
// dropped on.
const moved = (tree, from, to) => {
  let node;
  const without = (list) => list.flatMap((n) => (n.key === from ? ((node = n), []) : [{ ...n, children: n.children && without(n.children) }]));
  const added = (list) => list.map((n) => (n.key === to ? { ...n, children: [...(n.children ?? []), node] } : { ...n, children: n.children && added(n.children) }));
  return added(without(tree));
};

const outline = (list) => list.map((n) => n.title + (n.children ? `(${outline(n.children)})` : '')).join(' ');

export const Data = () => {
  const [f, set] = useFacts({ chosen: [], checked: [], view: 'Day', tree: 'as it was' });
  const [tree, setTree] = useState(BRANCHES);
  const drop = ({ dragNode, node }) => {
    const next = moved(tree, dragNode.key, node.key);
    setTree(next);
    set('tree')(outline(next));
  };
  const table = (
    <Table
      size="small" rowKey="id" dataSource={PEOPLE} pagination={{ pageSize: 5, showSizeChanger: true, pageSizeOptions: [5, 10] }}
      rowSelection={{ onChange: (_, rows) => set('chosen')(rows.map((r) => r.name)) }}
      columns={[
        { title: 'Name', dataIndex: 'name', sorter: (a, b) => a.name.localeCompare(b.name) },
        { title: 'Age', dataIndex: 'age', sorter: (a, b) => a.age - b.age },
        { title: 'Team', dataIndex: 'team', filters: ['Red', 'Green', 'Blue'].map((t) => ({ text: t, value: t })), onFilter: (v, r) => r.team === v },
      ]}
      expandable={{ expandedRowRender: (r) => `Number ${r.id} of the list` }}
    />
  );
  const files = (
    <>
      <Tree checkable draggable={{ icon: false }} defaultExpandAll treeData={tree} onCheck={(keys) => set('checked')(keys)} onDrop={drop} />
      <Collapse items={[{ key: 'a', label: 'Details', children: 'Hidden until asked for.' }]} />
      <Segmented options={['Day', 'Week', 'Month']} value={f.view} onChange={set('view')} />
    </>
  );
  return (
    <>
      <Tabs items={[{ key: 'people', label: 'People', children: table }, { key: 'files', label: 'Files', children: files }]} />
      <Facts of={f} />
    </>
  );
};
