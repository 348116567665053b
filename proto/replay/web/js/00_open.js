// The replay page. Its parts are one function, in the order of their names: load,
// model, stage, clock, list, and what ties them together.
(() => {
  'use strict';

  const byId = (id) => document.getElementById(id);

  // make builds an element. Text is text, whatever it says.
  const make = (name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // clockText is milliseconds as minutes and seconds.
  const clockText = (ms) => {
    const s = Math.max(0, Math.floor(ms / 1000));
    const rest = String(s % 60).padStart(2, '0');
    if (s < 3600) return `${Math.floor(s / 60)}:${rest}`;
    return `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}:${rest}`;
  };
