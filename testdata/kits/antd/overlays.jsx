import { App, Button, Drawer, Dropdown, Menu, Modal, Popconfirm, Space, Tooltip } from 'antd';
import { useState } from 'react';
import { Facts, useFacts } from '../shared.jsx';

const entry = (label, children) => ({ key: label, label, children });

export const Overlays = () => {
  const { message, modal, notification } = App.useApp();
  const [f, set] = useFacts({ asked: '', picked: '', visited: '', removed: false, drawn: false });
  const [open, setOpen] = useState('');
  return (
    <>
      <Menu
        mode="horizontal" onClick={({ key }) => set('visited')(key)} style={{ marginBottom: 16 }}
        items={[entry('Home'), entry('Shop', [entry('Books'), entry('Music', [entry('Jazz'), entry('Rock')])]), entry('Contact')]}
      />
      <Space orientation="vertical">
        <Button type="primary" onClick={() => setOpen('modal')}>Open</Button>
        <Modal open={open === 'modal'} title="Terms" okText="Accept" onOk={() => { set('asked')('accepted'); setOpen(''); }} onCancel={() => { set('asked')('refused'); setOpen(''); }}>
          Nothing is for free.
        </Modal>
        <Button onClick={() => modal.confirm({ title: 'Sure?', content: 'There is no way back.', okText: 'Do it', onOk: () => set('asked')('sure') })}>Confirm</Button>
        <Dropdown menu={{ items: [entry('Edit'), entry('More', [entry('Archive'), entry('Print')])], onClick: ({ key }) => set('picked')(key) }}><Button>Actions</Button></Dropdown>
        <Popconfirm title="Remove the file?" okText="Remove" onConfirm={() => { set('removed')(true); message.success('The file is gone'); }}><Button danger>Delete</Button></Popconfirm>
        <Tooltip title="Two at most"><Button>Limits</Button></Tooltip>
        <Button onClick={() => setOpen('drawer')}>Basket</Button>
        <Drawer title="Your basket" open={open === 'drawer'} onClose={() => { set('drawn')(true); setOpen(''); }}>Empty.</Drawer>
        <Button onClick={() => notification.info({ title: 'News', description: 'Nothing new.', duration: 0 })}>Notify</Button>
      </Space>
      <Facts of={f} />
    </>
  );
};
