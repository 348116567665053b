// What all pages have: parts that are chosen by the query, and a line that says
// what the page knows, for whoever drives it to read.
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

// useFacts is a bag of values, and a function that gives a setter for one.
export const useFacts = (initial) => {
  const [facts, set] = useState(initial);
  return [facts, (name) => (value) => set((old) => ({ ...old, [name]: value }))];
};

const word = (v) => (Array.isArray(v) ? v.map(word).join('+') : v === null || v === undefined || v === '' ? 'none' : String(v));

export const Facts = ({ of }) => (
  <output aria-label="Facts" style={{ display: 'block', marginTop: 24 }}>
    {Object.entries(of).map(([k, v]) => `${k} is ${word(v)}`).join(', ')}
  </output>
);

export const PEOPLE = Array.from({ length: 23 }, (_, i) => ({
  id: i + 1,
  name: ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Tony', 'Frances'][i % 8] + ' ' + String.fromCharCode(65 + i),
  age: 30 + ((i * 17) % 41),
  team: ['Red', 'Green', 'Blue'][i % 3],
}));

// start shows the part that the query names.
export const start = (parts, Around = ({ children }) => children) => {
  const Part = parts[location.search.slice(1)] ?? Object.values(parts)[0];
  createRoot(document.getElementById('root')).render(
    <StrictMode>
      <Around>
        <main style={{ padding: 16 }}>
          <Part />
        </main>
      </Around>
    </StrictMode>,
  );
};
