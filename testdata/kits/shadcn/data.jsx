import { DndContext, KeyboardSensor, PointerSensor, closestCenter, useSensor, useSensors } from '@dnd-kit/core';
import { SortableContext, arrayMove, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { flexRender, getCoreRowModel, getFilteredRowModel, getPaginationRowModel, getSortedRowModel, useReactTable } from '@tanstack/react-table';
import { Accordion, ScrollArea, Tabs } from 'radix-ui';
import { useState } from 'react';
import { Facts, PEOPLE, useFacts } from '../shared.jsx';

const COLUMNS = ['name', 'age', 'team'].map((key) => ({ accessorKey: key, header: key[0].toUpperCase() + key.slice(1) }));
const ORDER = { asc: 'ascending', desc: 'descending' };

const People = ({ onRow }) => {
  const [sorting, setSorting] = useState([]);
  const [globalFilter, setGlobalFilter] = useState('');
  const table = useReactTable({
    data: PEOPLE, columns: COLUMNS, state: { sorting, globalFilter }, onSortingChange: setSorting, onGlobalFilterChange: setGlobalFilter,
    initialState: { pagination: { pageSize: 5 } }, getCoreRowModel: getCoreRowModel(), getSortedRowModel: getSortedRowModel(),
    getFilteredRowModel: getFilteredRowModel(), getPaginationRowModel: getPaginationRowModel(),
  });
  return (
    <>
      <input placeholder="Filter…" value={globalFilter} onChange={(e) => setGlobalFilter(e.target.value)} />
      <table>
        <thead>
          <tr>
            {table.getFlatHeaders().map((h) => (
              <th key={h.id} aria-sort={ORDER[h.column.getIsSorted()] ?? 'none'}><button type="button" onClick={h.column.getToggleSortingHandler()}>{flexRender(h.column.columnDef.header, h.getContext())}</button></th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((r) => (
            <tr key={r.id} onClick={() => onRow(r.original.name)} style={{ cursor: 'pointer' }}>
              {r.getVisibleCells().map((c) => <td key={c.id}>{flexRender(c.column.columnDef.cell, c.getContext())}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" disabled={!table.getCanPreviousPage()} onClick={() => table.previousPage()}>Previous</button>
      <button type="button" disabled={!table.getCanNextPage()} onClick={() => table.nextPage()}>Next</button>
    </>
  );
};

const Card = ({ id }) => {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const style = { transform: transform && `translate3d(${transform.x}px, ${transform.y}px, 0)`, transition };
  return <li ref={setNodeRef} className="area" style={style} {...attributes} {...listeners}>{id}</li>;
};

const Cards = ({ order, onOrder }) => {
  const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  const end = ({ active, over }) => over && active.id !== over.id && onOrder(arrayMove(order, order.indexOf(active.id), order.indexOf(over.id)));
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={end}>
      <SortableContext items={order} strategy={verticalListSortingStrategy}><ul>{order.map((id) => <Card key={id} id={id} />)}</ul></SortableContext>
    </DndContext>
  );
};

export const Data = () => {
  const [f, set] = useFacts({ row: '', order: ['Wash', 'Cook', 'Eat', 'Rest'], tag: '' });
  return (
    <Tabs.Root defaultValue="people">
      <Tabs.List aria-label="Views" className="row">
        {['people', 'cards', 'tags'].map((v) => <Tabs.Trigger key={v} value={v} className="trigger">{v}</Tabs.Trigger>)}
      </Tabs.List>
      <Tabs.Content value="people"><People onRow={set('row')} /></Tabs.Content>
      <Tabs.Content value="cards"><Cards order={f.order} onOrder={set('order')} /></Tabs.Content>
      <Tabs.Content value="tags">
        <Accordion.Root type="single" collapsible>
          <Accordion.Item value="a"><Accordion.Header><Accordion.Trigger>Is it accessible?</Accordion.Trigger></Accordion.Header><Accordion.Content>Yes.</Accordion.Content></Accordion.Item>
        </Accordion.Root>
        <ScrollArea.Root className="scroller">
          <ScrollArea.Viewport className="viewport">
            {Array.from({ length: 50 }, (_, i) => <button type="button" key={i} className="item" onClick={() => set('tag')(`v${i + 1}`)}>{`Tag v${i + 1}`}</button>)}
          </ScrollArea.Viewport>
          <ScrollArea.Scrollbar className="bar" orientation="vertical"><ScrollArea.Thumb className="grip" /></ScrollArea.Scrollbar>
        </ScrollArea.Root>
      </Tabs.Content>
      <Facts of={f} />
    </Tabs.Root>
  );
};
