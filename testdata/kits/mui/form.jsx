import {
  Autocomplete, Checkbox, FormControl, FormControlLabel, FormLabel, InputLabel, MenuItem, Radio, RadioGroup, Rating, Select, Slider, Stack, Switch, TextField,
  ToggleButton, ToggleButtonGroup,
} from '@mui/material';
import { DatePicker, DateTimePicker, TimePicker } from '@mui/x-date-pickers';
import dayjs from 'dayjs';
import { Facts, useFacts } from '../shared.jsx';

const FRUIT = ['Apple', 'Apricot', 'Banana', 'Blackberry', 'Cherry', 'Damson', 'Elderberry', 'Fig', 'Grape'];

export const Form = () => {
  const [f, set] = useFacts({
    name: '', note: '', size: 'm', colours: [], fruit: null, basket: [], agree: false, wifi: false, plan: 'free', volume: 30, range: [20, 60], stars: 2, align: 'left',
    day: dayjs('2026-03-10'), time: dayjs('2026-03-10T09:00'), moment: null,
  });
  const typed = (name) => (e) => set(name)(e.target.value);
  return (
    <Stack spacing={2} sx={{ maxWidth: 520 }}>
      <h1>Order</h1>
      <TextField label="Name" value={f.name} onChange={typed('name')} required />
      <TextField label="Note" value={f.note} onChange={typed('note')} multiline minRows={2} />
      <FormControl>
        <InputLabel id="size">Size</InputLabel>
        <Select labelId="size" label="Size" value={f.size} onChange={typed('size')}>
          <MenuItem value="s">Small</MenuItem>
          <MenuItem value="m">Medium</MenuItem>
          <MenuItem value="l" disabled>Large</MenuItem>
          <MenuItem value="xl">Extra large</MenuItem>
        </Select>
      </FormControl>
      <FormControl>
        <InputLabel id="colours">Colours</InputLabel>
        <Select labelId="colours" label="Colours" multiple value={f.colours} onChange={typed('colours')}>
          {['Red', 'Green', 'Blue'].map((c) => <MenuItem key={c} value={c}>{c}</MenuItem>)}
        </Select>
      </FormControl>
      <Autocomplete options={FRUIT} value={f.fruit} onChange={(_, v) => set('fruit')(v)} renderInput={(p) => <TextField {...p} label="Fruit" />} />
      <Autocomplete multiple freeSolo options={FRUIT} value={f.basket} onChange={(_, v) => set('basket')(v)} renderInput={(p) => <TextField {...p} label="Basket" />} />
      <FormControlLabel label="Agree" control={<Checkbox checked={f.agree} onChange={(e) => set('agree')(e.target.checked)} />} />
      <FormControlLabel label="Wifi" control={<Switch checked={f.wifi} onChange={(e) => set('wifi')(e.target.checked)} />} />
      <FormControl>
        <FormLabel id="plan">Plan</FormLabel>
        <RadioGroup row aria-labelledby="plan" value={f.plan} onChange={typed('plan')}>
          <FormControlLabel value="free" label="Free" control={<Radio />} />
          <FormControlLabel value="pro" label="Pro" control={<Radio />} />
        </RadioGroup>
      </FormControl>
      <Slider aria-label="Volume" value={f.volume} onChange={(_, v) => set('volume')(v)} valueLabelDisplay="auto" />
      <Slider getAriaLabel={(i) => (i ? 'To' : 'From')} value={f.range} onChange={(_, v) => set('range')(v)} />
      <Rating name="stars" value={f.stars} onChange={(_, v) => set('stars')(v)} />
      <ToggleButtonGroup exclusive value={f.align} onChange={(_, v) => set('align')(v)} aria-label="Align">
        <ToggleButton value="left">Left</ToggleButton>
        <ToggleButton value="right">Right</ToggleButton>
      </ToggleButtonGroup>
      <DatePicker label="Day" value={f.day} onChange={set('day')} />
      <TimePicker label="Time" value={f.time} onChange={set('time')} />
      <DateTimePicker label="Moment" value={f.moment} referenceDate={dayjs('2026-05-01T08:00')} onChange={set('moment')} />
      <Facts of={{ ...f, day: f.day?.format('YYYY-MM-DD'), time: f.time?.format('HH:mm'), moment: f.moment?.format('YYYY-MM-DD HH:mm') }} />
    </Stack>
  );
};
