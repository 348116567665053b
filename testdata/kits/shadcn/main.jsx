import 'react-day-picker/style.css';
import './kit.css';
import { Tooltip } from 'radix-ui';
import { start } from '../shared.jsx';
import { Data } from './data.jsx';
import { Form } from './form.jsx';
import { Overlays } from './overlays.jsx';

start({ form: Form, overlays: Overlays, data: Data }, Tooltip.Provider);
