import {
  AutoComplete, Cascader, Checkbox, ColorPicker, DatePicker, Form as AntForm, Input, InputNumber, Radio, Rate, Select, Slider, Switch, TimePicker, Transfer, TreeSelect, Upload, Button,
} from 'antd';
import dayjs from 'dayjs';
import { Facts, useFacts } from '../shared.jsx';

const CITIES = Array.from({ length: 60 }, (_, i) => ({ value: `c${i + 1}`, label: `City ${i + 1}` }));
const PLACES = [
  { value: 'asia', label: 'Asia', children: [{ value: 'jp', label: 'Japan', children: [{ value: 'kyoto', label: 'Kyoto' }, { value: 'osaka', label: 'Osaka' }] }] },
  { value: 'europe', label: 'Europe', children: [{ value: 'it', label: 'Italy', children: [{ value: 'turin', label: 'Turin' }] }] },
];
const TREE = [{ value: 'plants', title: 'Plants', children: [{ value: 'oak', title: 'Oak' }, { value: 'fern', title: 'Fern' }] }];

export const Form = () => {
  const [f, set] = useFacts({
    name: '', secret: '', colour: undefined, tags: [], city: undefined, place: [], plant: undefined, mail: '', count: 1, loud: 30, on: false, days: [], plan: 'a', stars: 2,
    day: dayjs('2026-03-10'), span: null, time: null, moved: [], paint: '#1677ff', files: [],
  });
  return (
    <AntForm layout="vertical" style={{ maxWidth: 560 }}>
      <h1>Order</h1>
      <AntForm.Item label="Name" htmlFor="name"><Input id="name" allowClear value={f.name} onChange={(e) => set('name')(e.target.value)} /></AntForm.Item>
      <AntForm.Item label="Colour" htmlFor="colour">
        <Select id="colour" placeholder="Choose a colour" value={f.colour} onChange={set('colour')} options={[{ value: 'r', label: 'Red' }, { value: 'g', label: 'Green', disabled: true }, { value: 'b', label: 'Blue' }]} />
      </AntForm.Item>
      <AntForm.Item label="Tags" htmlFor="tags"><Select id="tags" mode="tags" value={f.tags} onChange={set('tags')} options={[{ value: 'new' }, { value: 'hot' }]} /></AntForm.Item>
      <AntForm.Item label="City" htmlFor="city"><Select id="city" showSearch={{ optionFilterProp: 'label' }} value={f.city} onChange={set('city')} options={CITIES} /></AntForm.Item>
      <AntForm.Item label="Place" htmlFor="place"><Cascader id="place" options={PLACES} value={f.place} onChange={set('place')} /></AntForm.Item>
      <AntForm.Item label="Plant" htmlFor="plant"><TreeSelect id="plant" treeData={TREE} value={f.plant} onChange={set('plant')} /></AntForm.Item>
      <AntForm.Item label="Mail" htmlFor="mail">
        <AutoComplete id="mail" value={f.mail} onChange={set('mail')} options={f.mail && !f.mail.includes('@') ? ['a.test', 'b.test'].map((d) => ({ value: `${f.mail}@${d}` })) : []} />
      </AntForm.Item>
      <AntForm.Item label="Count" htmlFor="count"><InputNumber id="count" min={1} max={9} value={f.count} onChange={set('count')} /></AntForm.Item>
      <Slider ariaLabelForHandle="Loudness" value={f.loud} onChange={set('loud')} />
      <Switch aria-label="Alarm" checked={f.on} onChange={set('on')} />
      <Checkbox.Group options={['Mon', 'Tue', 'Wed']} value={f.days} onChange={set('days')} />
      <Radio.Group value={f.plan} onChange={(e) => set('plan')(e.target.value)} optionType="button" options={[{ value: 'a', label: 'Plan A' }, { value: 'b', label: 'Plan B' }]} />
      <Rate value={f.stars} onChange={set('stars')} />
      <AntForm.Item label="Day" htmlFor="day"><DatePicker id="day" value={f.day} onChange={set('day')} /></AntForm.Item>
      <AntForm.Item label="Span" htmlFor="span"><DatePicker.RangePicker id={{ start: 'span', end: 'span2' }} defaultPickerValue={[dayjs('2026-05-01'), dayjs('2026-06-01')]} value={f.span} onChange={set('span')} /></AntForm.Item>
      <AntForm.Item label="Time" htmlFor="time"><TimePicker id="time" value={f.time} onChange={set('time')} /></AntForm.Item>
      <ColorPicker value={f.paint} onChange={(c) => set('paint')(c.toHexString())}><Button>Paint</Button></ColorPicker>
      <Transfer
        dataSource={['One', 'Two', 'Three'].map((t) => ({ key: t, title: t }))} targetKeys={f.moved} onChange={set('moved')} render={(i) => i.title} titles={['Here', 'There']}
      />
      <Upload beforeUpload={(file) => { set('files')([...f.files, file.name]); return false; }}><Button>Attach</Button></Upload>
      <Facts of={{ ...f, secret: undefined, day: f.day?.format('YYYY-MM-DD'), span: f.span?.map((d) => d.format('YYYY-MM-DD')), time: f.time?.format('HH:mm:ss') }} />
    </AntForm>
  );
};
