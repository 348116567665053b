import {
  Accordion, AccordionDetails, AccordionSummary, Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, Drawer, List, ListItemButton, ListItemText, Menu,
  MenuItem, Popover, Snackbar, SpeedDial, SpeedDialAction, Stack, TextField, Tooltip,
} from '@mui/material';
import { useState } from 'react';
import { Facts, useFacts } from '../shared.jsx';

export const Overlays = () => {
  const [f, set] = useFacts({ name: '', picked: '', section: '', saved: false, dialled: '' });
  const [open, setOpen] = useState('');
  const [anchor, setAnchor] = useState(null);
  const [draft, setDraft] = useState('');
  const at = (name) => (e) => {
    setAnchor(e.currentTarget);
    setOpen(name);
  };
  const close = () => setOpen('');
  return (
    <Stack spacing={2} sx={{ maxWidth: 520 }}>
      <h1>Overlays</h1>
      <Button variant="contained" onClick={() => setOpen('dialog')}>Rename</Button>
      <Dialog open={open === 'dialog'} onClose={close}>
        <DialogTitle>New name</DialogTitle>
        <DialogContent>
          <TextField autoFocus margin="dense" label="Name" value={draft} onChange={(e) => setDraft(e.target.value)} />
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button onClick={() => { set('name')(draft); set('saved')(true); close(); }}>Save</Button>
        </DialogActions>
      </Dialog>
      <Snackbar open={f.saved} autoHideDuration={60000} onClose={() => set('saved')(false)}>
        <Alert severity="success" onClose={() => set('saved')(false)}>Saved</Alert>
      </Snackbar>
      <Button aria-haspopup="menu" onClick={at('menu')}>Actions</Button>
      <Menu open={open === 'menu'} anchorEl={anchor} onClose={close}>
        {['Copy', 'Move', 'Delete'].map((a) => <MenuItem key={a} onClick={() => { set('picked')(a); close(); }}>{a}</MenuItem>)}
      </Menu>
      <Button onClick={() => setOpen('drawer')}>Sections</Button>
      <Drawer anchor="right" open={open === 'drawer'} onClose={close}>
        <List>
          {['Inbox', 'Sent', 'Trash'].map((s) => (
            <ListItemButton key={s} onClick={() => { set('section')(s); close(); }}><ListItemText primary={s} secondary={`${s.length} letters`} /></ListItemButton>
          ))}
        </List>
      </Drawer>
      <Button onClick={at('popover')}>Help</Button>
      <Popover open={open === 'popover'} anchorEl={anchor} onClose={close}><p style={{ padding: 16 }}>Press Escape to leave.</p></Popover>
      <Tooltip title="Throws everything away" enterDelay={200}><Button color="error">Reset</Button></Tooltip>
      <Accordion>
        <AccordionSummary>Terms</AccordionSummary>
        <AccordionDetails>No refunds.</AccordionDetails>
      </Accordion>
      <SpeedDial ariaLabel="More" icon="+" direction="right" sx={{ alignSelf: 'flex-start' }}>
        {['Print', 'Share'].map((a) => <SpeedDialAction key={a} icon={a[0]} onClick={() => set('dialled')(a)} slotProps={{ tooltip: { title: a } }} />)}
      </SpeedDial>
      <Facts of={f} />
    </Stack>
  );
};
