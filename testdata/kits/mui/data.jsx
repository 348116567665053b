import { Box, Checkbox, Tab, Table, TableBody, TableCell, TableContainer, TableHead, TablePagination, TableRow, TableSortLabel, Tabs } from '@mui/material';
import { DataGrid } from '@mui/x-data-grid';
import { useState } from 'react';
import { Facts, PEOPLE, useFacts } from '../shared.jsx';

const COLUMNS = ['name', 'age', 'team'];
const compare = (key) => (a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0);

const Plain = ({ chosen, choose }) => {
  const [by, setBy] = useState({ key: 'name', order: 'asc' });
  const [page, setPage] = useState(0);
  const [size, setSize] = useState(5);
  const sorted = [...PEOPLE].sort(compare(by.key));
  if (by.order === 'desc') sorted.reverse();
  const sort = (key) => setBy({ key, order: by.key === key && by.order === 'asc' ? 'desc' : 'asc' });
  return (
    <>
      <TableContainer sx={{ maxHeight: 300 }}>
        <Table stickyHeader size="small" aria-label="People">
          <TableHead>
            <TableRow>
              <TableCell />
              {COLUMNS.map((c) => (
                <TableCell key={c} sortDirection={by.key === c ? by.order : false}>
                  <TableSortLabel active={by.key === c} direction={by.key === c ? by.order : 'asc'} onClick={() => sort(c)}>{c}</TableSortLabel>
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {sorted.slice(page * size, (page + 1) * size).map((p) => (
              <TableRow key={p.id} hover>
                <TableCell><Checkbox size="small" slotProps={{ input: { 'aria-label': `Choose ${p.name}` } }} checked={chosen.includes(p.name)} onChange={() => choose(p.name)} /></TableCell>
                {COLUMNS.map((c) => <TableCell key={c}>{p[c]}</TableCell>)}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
      <TablePagination
        component="div" count={PEOPLE.length} page={page} rowsPerPage={size} rowsPerPageOptions={[5, 10, 25]}
        onPageChange={(_, p) => setPage(p)} onRowsPerPageChange={(e) => { setSize(Number(e.target.value)); setPage(0); }}
      />
    </>
  );
};

const Grid = ({ edited }) => (
  <Box sx={{ height: 420, width: '100%' }}>
    <DataGrid
      label="Staff" rows={PEOPLE} pageSizeOptions={[5, 10]} initialState={{ pagination: { paginationModel: { pageSize: 5 } } }} checkboxSelection disableRowSelectionOnClick
      columns={[{ field: 'name', headerName: 'Name', editable: true, width: 160 }, { field: 'age', headerName: 'Age', type: 'number', width: 110 }, { field: 'team', headerName: 'Team', width: 140 }]}
      processRowUpdate={(row) => { edited(`${row.id} ${row.name}`); return row; }}
    />
  </Box>
);

export const Data = () => {
  const [f, set] = useFacts({ chosen: [], edited: '' });
  const [tab, setTab] = useState(0);
  const choose = (name) => set('chosen')(f.chosen.includes(name) ? f.chosen.filter((n) => n !== name) : [...f.chosen, name]);
  return (
    <>
      <Tabs value={tab} onChange={(_, v) => setTab(v)} aria-label="Views">
        <Tab label="Table" />
        <Tab label="Grid" />
        <Tab label="Locked" disabled />
      </Tabs>
      {tab === 0 ? <Plain chosen={f.chosen} choose={choose} /> : <Grid edited={set('edited')} />}
      <Facts of={f} />
    </>
  );
};
