import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { List } from 'react-window';
import { Facts, start, useFacts } from '../shared.jsx';

const COUNT = 10000;

const Tanstack = () => {
  const place = useRef(null);
  const [f, set] = useFacts({ opened: '' });
  const rows = useVirtualizer({ count: COUNT, getScrollElement: () => place.current, estimateSize: () => 32, overscan: 5 });
  return (
    <>
      <h1>Tanstack</h1>
      <div ref={place} role="list" aria-label="Letters" tabIndex={0} style={{ height: 400, overflow: 'auto', border: '1px solid #ccc' }}>
        <div role="presentation" style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map((r) => (
            <div
              key={r.key} ref={rows.measureElement} data-index={r.index} role="listitem" aria-setsize={COUNT} aria-posinset={r.index + 1}
              style={{ position: 'absolute', top: 0, left: 0, width: '100%', height: 24 + (r.index % 3) * 16, transform: `translateY(${r.start}px)` }}
            >
              <button type="button" onClick={() => set('opened')(r.index + 1)}>{`Letter ${r.index + 1}`}</button>
            </div>
          ))}
        </div>
      </div>
      <Facts of={f} />
    </>
  );
};

const Row = ({ index, style, ariaAttributes, open }) => (
  <div style={style} {...ariaAttributes}><a href={`#${index + 1}`} onClick={() => open(index + 1)}>{`Song ${index + 1}`}</a></div>
);

const Windowed = () => {
  const [f, set] = useFacts({ opened: '' });
  return (
    <>
      <h1>Window</h1>
      <List rowComponent={Row} rowCount={COUNT} rowHeight={30} rowProps={{ open: set('opened') }} style={{ height: 400, border: '1px solid #ccc' }} />
      <Facts of={f} />
    </>
  );
};

start({ tanstack: Tanstack, window: Windowed });
