import { LocalizationProvider } from '@mui/x-date-pickers';
import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import CssBaseline from '@mui/material/CssBaseline';
import { start } from '../shared.jsx';
import { Data } from './data.jsx';
import { Form } from './form.jsx';
import { Overlays } from './overlays.jsx';

start({ form: Form, overlays: Overlays, data: Data }, ({ children }) => (
  <LocalizationProvider dateAdapter={AdapterDayjs}>
    <CssBaseline />
    {children}
  </LocalizationProvider>
));
