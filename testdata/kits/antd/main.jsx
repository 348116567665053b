import { App } from 'antd';
import { start } from '../shared.jsx';
import { Data } from './data.jsx';
import { Form } from './form.jsx';
import { Overlays } from './overlays.jsx';

start({ form: Form, overlays: Overlays, data: Data }, ({ children }) => <App>{children}</App>);
