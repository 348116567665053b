// Asks for what belongs to the machine or to a person; window.given names what was
// given.
async () => {
	const soon = (p) => Promise.race([p, new Promise((_, no) => setTimeout(() => no('no answer'), 1500))]);
	const asks = {
		camera: () => navigator.mediaDevices.getUserMedia({video: true}),
		microphone: () => navigator.mediaDevices.getUserMedia({audio: true}),
		screen: () => navigator.mediaDevices.getDisplayMedia(),
		place: () => new Promise((ok, no) => navigator.geolocation.getCurrentPosition(ok, no)),
		clipboard: () => navigator.clipboard.readText(),
		clipboardItems: () => navigator.clipboard.read(),
		notifications: async () => { if (await Notification.requestPermission() !== 'granted') throw 0; },
		midi: () => navigator.requestMIDIAccess({sysex: true}),
		usb: () => navigator.usb.requestDevice({filters: []}),
		serial: () => navigator.serial.requestPort(),
		hid: () => navigator.hid.requestDevice({filters: []}),
		bluetooth: () => navigator.bluetooth.requestDevice({acceptAllDevices: true}),
		fonts: () => queryLocalFonts(),
		screens: () => getScreenDetails(),
		idle: async () => { if (await IdleDetector.requestPermission() !== 'granted') throw 0; },
		open: () => showOpenFilePicker(),
		directory: () => showDirectoryPicker(),
		save: () => showSaveFilePicker(),
		nfc: () => new NDEFReader().scan(),
		payment: () => new PaymentRequest([{supportedMethods: 'https://pay.public.test/'}], {total: {label: 'x', amount: {currency: 'EUR', value: '1'}}}).show(),
		passkey: () => navigator.credentials.create({publicKey: {challenge: new Uint8Array(8), rp: {name: 'x'}, user: {id: new Uint8Array(8), name: 'x', displayName: 'x'}, pubKeyCredParams: [{type: 'public-key', alg: -7}]}}),
		contacts: () => navigator.contacts.select(['name']),
		sensors: () => new Promise((ok, no) => { const s = new Accelerometer(); s.onreading = ok; s.onerror = no; s.start(); }),
		extension: () => { if (!chrome.runtime.id) throw 0; },
		node: () => { if (typeof require === 'undefined' && typeof process === 'undefined' && typeof Deno === 'undefined') throw 0; },
	};
	const given = [];
	await Promise.all(Object.keys(asks).map(async (name) => { try { const got = await soon(asks[name]()); if (!Array.isArray(got) || got.length) given.push(name); } catch {} }));
	return window.given = given.sort().join();
}
