import { AlertDialog, ContextMenu, Dialog, DropdownMenu, HoverCard, Menubar, NavigationMenu, Toast, Tooltip } from 'radix-ui';
import { useState } from 'react';
import { Facts, useFacts } from '../shared.jsx';

export const Overlays = () => {
  const [f, set] = useFacts({ name: 'Pedro', deleted: false, picked: '', marked: false, bar: '', context: '', went: '' });
  const [toast, setToast] = useState(false);
  return (
    <Toast.Provider duration={60000}>
      <div className="stack">
        <h1>Overlays</h1>
        <Menubar.Root className="row" aria-label="Application">
          <Menubar.Menu>
            <Menubar.Trigger className="trigger">File</Menubar.Trigger>
            <Menubar.Portal>
              <Menubar.Content className="panel">
                <Menubar.Item className="item" onSelect={() => set('bar')('new')}>New window</Menubar.Item>
                <Menubar.Sub>
                  <Menubar.SubTrigger className="item">Share</Menubar.SubTrigger>
                  <Menubar.Portal><Menubar.SubContent className="panel"><Menubar.Item className="item" onSelect={() => set('bar')('mail')}>By mail</Menubar.Item></Menubar.SubContent></Menubar.Portal>
                </Menubar.Sub>
              </Menubar.Content>
            </Menubar.Portal>
          </Menubar.Menu>
          <Menubar.Menu>
            <Menubar.Trigger className="trigger">Edit</Menubar.Trigger>
            <Menubar.Portal><Menubar.Content className="panel"><Menubar.Item className="item" onSelect={() => set('bar')('undo')}>Undo</Menubar.Item></Menubar.Content></Menubar.Portal>
          </Menubar.Menu>
        </Menubar.Root>
        <NavigationMenu.Root className="nav">
          <NavigationMenu.List className="row">
            <NavigationMenu.Item>
              <NavigationMenu.Trigger className="trigger">Learn</NavigationMenu.Trigger>
              <NavigationMenu.Content className="panel"><NavigationMenu.Link href="#guide" onSelect={() => set('went')('guide')}>Guide</NavigationMenu.Link></NavigationMenu.Content>
            </NavigationMenu.Item>
          </NavigationMenu.List>
        </NavigationMenu.Root>
        <Dialog.Root>
          <Dialog.Trigger className="trigger">Edit profile</Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Overlay className="veil" />
            <Dialog.Content className="dialog">
              <Dialog.Title>Profile</Dialog.Title>
              <Dialog.Description>Change your name here.</Dialog.Description>
              <label>Name <input id="name" defaultValue={f.name} /></label>
              <Dialog.Close className="trigger" onClick={() => { set('name')(document.getElementById('name').value); setToast(true); }}>Save changes</Dialog.Close>
              <Dialog.Close className="trigger" aria-label="Close">×</Dialog.Close>
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
        <Toast.Root className="panel" open={toast} onOpenChange={setToast}><Toast.Title>Saved</Toast.Title><Toast.Action altText="Undo" onClick={() => set('name')('Pedro')}>Undo</Toast.Action></Toast.Root>
        <AlertDialog.Root>
          <AlertDialog.Trigger className="trigger">Delete account</AlertDialog.Trigger>
          <AlertDialog.Portal>
            <AlertDialog.Overlay className="veil" />
            <AlertDialog.Content className="dialog">
              <AlertDialog.Title>Are you sure?</AlertDialog.Title>
              <AlertDialog.Description>This cannot be undone.</AlertDialog.Description>
              <AlertDialog.Cancel className="trigger">Keep it</AlertDialog.Cancel>
              <AlertDialog.Action className="trigger" onClick={() => set('deleted')(true)}>Delete it</AlertDialog.Action>
            </AlertDialog.Content>
          </AlertDialog.Portal>
        </AlertDialog.Root>
        <DropdownMenu.Root>
          <DropdownMenu.Trigger className="trigger">Options</DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className="panel" sideOffset={5}>
              <DropdownMenu.Item className="item" onSelect={() => set('picked')('new')}>New tab</DropdownMenu.Item>
              <DropdownMenu.Item className="item" disabled>New private window</DropdownMenu.Item>
              <DropdownMenu.CheckboxItem className="item" checked={f.marked} onCheckedChange={set('marked')}>Show bookmarks</DropdownMenu.CheckboxItem>
              <DropdownMenu.Sub>
                <DropdownMenu.SubTrigger className="item">More tools</DropdownMenu.SubTrigger>
                <DropdownMenu.Portal>
                  <DropdownMenu.SubContent className="panel">
                    <DropdownMenu.Item className="item" onSelect={() => set('picked')('save')}>Save page</DropdownMenu.Item>
                    <DropdownMenu.Item className="item" onSelect={() => set('picked')('tools')}>Developer tools</DropdownMenu.Item>
                  </DropdownMenu.SubContent>
                </DropdownMenu.Portal>
              </DropdownMenu.Sub>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
        <ContextMenu.Root>
          <ContextMenu.Trigger className="area">Right-click here</ContextMenu.Trigger>
          <ContextMenu.Portal><ContextMenu.Content className="panel"><ContextMenu.Item className="item" onSelect={() => set('context')('reload')}>Reload</ContextMenu.Item></ContextMenu.Content></ContextMenu.Portal>
        </ContextMenu.Root>
        <HoverCard.Root openDelay={200}>
          <HoverCard.Trigger href="#author">@author</HoverCard.Trigger>
          <HoverCard.Portal><HoverCard.Content className="panel">Writes about browsers.</HoverCard.Content></HoverCard.Portal>
        </HoverCard.Root>
        <Tooltip.Root delayDuration={200}>
          <Tooltip.Trigger className="trigger">Add</Tooltip.Trigger>
          <Tooltip.Portal><Tooltip.Content className="panel">Add to library</Tooltip.Content></Tooltip.Portal>
        </Tooltip.Root>
        <Facts of={f} />
        <Toast.Viewport className="toasts" />
      </div>
    </Toast.Provider>
  );
};
