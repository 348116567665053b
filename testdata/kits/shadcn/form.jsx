import { Command } from 'cmdk';
import { Checkbox, Label, Popover, RadioGroup, Select, Slider, Switch, ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import { DayPicker } from 'react-day-picker';
import { Facts, useFacts } from '../shared.jsx';

const LANGUAGES = ['C', 'Clojure', 'Elixir', 'Erlang', 'Go', 'Haskell', 'Java', 'Kotlin', 'OCaml', 'Python', 'Ruby', 'Rust', 'Swift', 'Zig'];

const Combobox = ({ value, onChange }) => {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button type="button" role="combobox" aria-expanded={open} className="trigger">{value || 'Choose a language…'}</button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="panel" align="start">
          <Command>
            <Command.Input placeholder="Search languages…" />
            <Command.List>
              <Command.Empty>No language found.</Command.Empty>
              {LANGUAGES.map((l) => <Command.Item key={l} value={l} onSelect={(v) => { onChange(v); setOpen(false); }}>{l}</Command.Item>)}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};

const DateButton = ({ value, onChange }) => {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="trigger">{value ? value.toDateString() : 'Pick a date'}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="panel" align="start">
          <DayPicker mode="single" captionLayout="dropdown" startMonth={new Date(2020, 0)} endMonth={new Date(2030, 11)} defaultMonth={new Date(2026, 2)} selected={value} onSelect={(d) => { onChange(d); setOpen(false); }} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};

export const Form = () => {
  const [f, set] = useFacts({ fruit: '', agree: false, news: 'indeterminate', size: 'm', wifi: false, volume: [40], span: [10, 50], align: 'left', language: '', day: undefined });
  return (
    <form className="stack" onSubmit={(e) => e.preventDefault()}>
      <h1>Profile</h1>
      <Label.Root id="fruit-label">Fruit</Label.Root>
      <Select.Root value={f.fruit} onValueChange={set('fruit')}>
        <Select.Trigger className="trigger" aria-labelledby="fruit-label"><Select.Value placeholder="Select a fruit" /></Select.Trigger>
        <Select.Portal>
          <Select.Content className="panel" position="popper">
            <Select.Viewport>
              <Select.Group>
                <Select.Label>Fruits</Select.Label>
                {['Apple', 'Banana', 'Blueberry', 'Grapes', 'Pineapple'].map((v) => (
                  <Select.Item key={v} value={v.toLowerCase()} disabled={v === 'Grapes'} className="item"><Select.ItemText>{v}</Select.ItemText></Select.Item>
                ))}
              </Select.Group>
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
      <Combobox value={f.language} onChange={set('language')} />
      <DateButton value={f.day} onChange={set('day')} />
      <div className="row">
        <Checkbox.Root id="agree" className="box" checked={f.agree} onCheckedChange={set('agree')}><Checkbox.Indicator>✓</Checkbox.Indicator></Checkbox.Root>
        <label htmlFor="agree">Accept terms</label>
      </div>
      <div className="row">
        <Checkbox.Root id="news" className="box" checked={f.news} onCheckedChange={set('news')}><Checkbox.Indicator>{f.news === true ? '✓' : '–'}</Checkbox.Indicator></Checkbox.Root>
        <label htmlFor="news">Newsletters</label>
      </div>
      <RadioGroup.Root className="row" value={f.size} onValueChange={set('size')} aria-label="Size">
        {[['s', 'Small'], ['m', 'Medium'], ['l', 'Large']].map(([v, label]) => (
          <span key={v} className="row">
            <RadioGroup.Item id={`size-${v}`} value={v} className="box round"><RadioGroup.Indicator>•</RadioGroup.Indicator></RadioGroup.Item>
            <label htmlFor={`size-${v}`}>{label}</label>
          </span>
        ))}
      </RadioGroup.Root>
      <div className="row">
        <Switch.Root id="wifi" className="switch" checked={f.wifi} onCheckedChange={set('wifi')}><Switch.Thumb className="thumb" /></Switch.Root>
        <label htmlFor="wifi">Wifi</label>
      </div>
      <Slider.Root className="slider" value={f.volume} onValueChange={set('volume')}>
        <Slider.Track className="track"><Slider.Range className="range" /></Slider.Track>
        <Slider.Thumb className="knob" aria-label="Volume" />
      </Slider.Root>
      <Slider.Root className="slider" value={f.span} onValueChange={set('span')} step={5}>
        <Slider.Track className="track"><Slider.Range className="range" /></Slider.Track>
        <Slider.Thumb className="knob" aria-label="From" />
        <Slider.Thumb className="knob" aria-label="To" />
      </Slider.Root>
      <ToggleGroup.Root type="single" className="row" value={f.align} onValueChange={set('align')} aria-label="Align">
        {['left', 'center', 'right'].map((v) => <ToggleGroup.Item key={v} value={v} className="trigger">{v}</ToggleGroup.Item>)}
      </ToggleGroup.Root>
      <Facts of={{ ...f, day: f.day?.toDateString() }} />
    </form>
  );
};
