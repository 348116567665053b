// Ways to have something loaded or asked for that are not among those of load.js:
// by documents' headers, by what browsers fetch for themselves, by features that
// few pages use. The words in capitals are put in by the test.
//
// Each asks for a path of its own name, and tells what became of it.
async () => {
	const base = URL_HERE, host = new URL(base).host;
	const pause = (ms) => new Promise((ok) => setTimeout(ok, ms));
	const add = (name, set, parent = document.body) => { const e = Object.assign(document.createElement(name), set); parent.append(e); return e; };
	const head = (name, set) => add(name, set, document.head);
	// A frame with a document of the app's whose headers the page chooses.
	const answered = (headers, more = '') => add('iframe', {src: '/head?' + headers.map((h) => 'h=' + encodeURIComponent(h)).join('&') + more});
	const xml = (text) => add('iframe', {src: URL.createObjectURL(new Blob([text], {type: 'application/xml'}))});
	const style = (text) => { head('style', {textContent: text}); add('p', {className: 'styled', textContent: 'x'}); };
	const ways = (to) => ({
		icon: () => head('link', {rel: 'icon', href: to}),
		touchIcon: () => head('link', {rel: 'apple-touch-icon', href: to}),
		manifest: () => head('link', {rel: 'manifest', href: to}),
		dictionary: () => head('link', {rel: 'compression-dictionary', href: to}),
		expect: () => head('link', {rel: 'alternate stylesheet', title: 'x', href: to}),
		track: () => { const v = add('video', {src: '/head'}); add('track', {src: to, default: true, kind: 'captions'}, v); v.load(); },
		poster: () => add('video', {poster: to}),
		embed: () => add('embed', {src: to, type: 'text/html'}),
		svgUse: () => { add('div', {innerHTML: '<svg><use href="' + to + '#x"/><image href="' + to + '"/><filter id=f><feImage href="' + to + '"/></filter><rect filter="url(#f)" width=9 height=9 /></svg>'}); },
		cssImport: () => style('@import url(' + to + ');'),
		cssImages: () => style('.styled { background: url(' + to + '); list-style: url(' + to + '); cursor: url(' + to + '), auto; mask: url(' + to + '); shape-outside: url(' + to + '); float: left; content: url(' + to + '); border-image: url(' + to + ') 1 }'),
		cssFont: () => style('@font-face { font-family: odd; src: url(' + to + ') } .styled { font-family: odd }'),
		xslt: () => xml('<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="' + to + '"?><a/>'),
		xmlStyle: () => xml('<?xml version="1.0"?><?xml-stylesheet type="text/css" href="' + to + '"?><a/>'),
		entity: () => xml('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "' + to + '"><!ENTITY % y SYSTEM "' + to + '"> %y;]><a>&x;</a>'),
		importMap: () => { head('script', {type: 'importmap', textContent: JSON.stringify({imports: {odd: to}})}); return import('odd'); },
		audioWorklet: () => new AudioContext().audioWorklet.addModule(to),
		paintWorklet: () => CSS.paintWorklet.addModule(to),
		sharedWorker: () => { new SharedWorker(URL.createObjectURL(new Blob(['fetch("' + to + '", {mode: "no-cors"}).catch(() => {})']))); },
		nested: () => { new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob(["fetch(\'' + to + '\', {mode: \'no-cors\'}).catch(() => {})"])))']))); },
		later: () => fetchLater(to, {activateAfter: 0}).activated,
		frameless: () => { const d = document.implementation.createHTMLDocument(''); d.body.innerHTML = '<img src="' + to + '">'; document.adoptNode(d.querySelector('img')); },
		template: () => { const f = add('iframe', {srcdoc: '<img src="' + to + '"><script>fetch("' + to + '", {mode: "no-cors"}).catch(() => {})<' + '/script>'}); f.sandbox = 'allow-scripts'; },
		cspReport: () => answered(['Content-Security-Policy-Report-Only: default-src \'none\'; report-uri ' + to], '&body=' + encodeURIComponent('<img src=/x><script>1<' + '/script>')),
		reporting: () => answered(['Reporting-Endpoints: default="' + to + '"', 'Report-To: {"group":"default","max_age":9,"endpoints":[{"url":"' + to + '"}]}', 'NEL: {"report_to":"default","max_age":9,"success_fraction":1.0}', 'Content-Security-Policy: default-src \'self\'; report-to default', 'Permissions-Policy-Report-Only: geolocation=();report-to=default'], '&body=' + encodeURIComponent('<img src=data:,x>')),
		linkHeader: () => answered(['Link: <' + to + '>; rel=preload; as=image', 'Link: <' + to + '>; rel=preconnect', 'Link: <//' + host + '>; rel=dns-prefetch', 'Link: <' + to + '>; rel=modulepreload', 'Link: <' + to + '>; rel=compression-dictionary']),
		speculationHeader: () => answered(['Speculation-Rules: "' + to + '"']),
		earlyHints: () => add('iframe', {src: '/early?to=' + encodeURIComponent(to)}),
		refreshHeader: () => answered(['Refresh: 0; url=' + to]),
		socketRedirect: () => { new WebSocket(location.origin.replace('http', 'ws') + '/head?code=302&h=' + encodeURIComponent('Location: ' + to)); },
		eventsRedirect: () => { new EventSource('/head?code=307&h=' + encodeURIComponent('Location: ' + to)); },
		moduleRedirect: () => import('/head?code=307&h=' + encodeURIComponent('Location: ' + to)),
		workerRedirect: () => { new Worker('/head?code=307&h=' + encodeURIComponent('Location: ' + to)); },
		beaconRedirect: () => navigator.sendBeacon('/head?code=307&h=' + encodeURIComponent('Location: ' + to), 'secret'),
		sourceMap: () => { head('script', {textContent: '1\n//# sourceMappingURL=' + to}); },
		attribution: () => { add('img', {src: '/head', attributionSrc: to}); add('a', {href: '#a', attributionSrc: to}).click(); },
		topics: () => fetch(to, {browsingTopics: true, mode: 'no-cors'}),
		sharedStorage: () => sharedStorage.worklet.addModule(to),
		auction: () => navigator.joinAdInterestGroup({owner: location.origin, name: 'x', biddingLogicURL: to, trustedBiddingSignalsURL: to, lifetimeMs: 99999, ads: []}, 9).then(() => navigator.runAdAuction({seller: location.origin, decisionLogicURL: to, interestGroupBuyers: [location.origin]})),
		fenced: () => { const f = add('fencedframe', {}); if (window.FencedFrameConfig) f.config = new FencedFrameConfig(to); },
		federated: () => navigator.credentials.get({identity: {providers: [{configURL: to, clientId: 'x', nonce: 'x'}]}}),
		passkey: () => navigator.credentials.get({publicKey: {challenge: new Uint8Array(8), rpId: host.split(':')[0]}}),
		media: () => { navigator.mediaSession.metadata = new MediaMetadata({title: 'x', artwork: [{src: to}]}); },
		install: () => navigator.install && navigator.install(to),
		share: () => navigator.share({url: to}),
		models: () => Promise.all([self.LanguageModel && LanguageModel.create(), self.Translator && Translator.create({sourceLanguage: 'en', targetLanguage: 'fr'}), self.Summarizer && Summarizer.create(), self.LanguageDetector && LanguageDetector.create()]),
		speech: () => { const r = new (self.SpeechRecognition || webkitSpeechRecognition)(); r.start(); speechSynthesis.speak(new SpeechSynthesisUtterance('x')); },
		drm: () => navigator.requestMediaKeySystemAccess('com.widevine.alpha', [{initDataTypes: ['cenc'], videoCapabilities: [{contentType: 'video/mp4; codecs="avc1.42E01E"'}]}]),
		autofill: () => { add('div', {innerHTML: '<form action=/head method=post><input name=email autocomplete=email><input type=password name=p value=secret123 autocomplete=current-password><input autocomplete=cc-number name=cc><textarea spellcheck=true lang=fr></textarea><button>x</button></form>'}); document.documentElement.lang = 'fr'; const a = document.querySelector('textarea'); a.focus(); document.execCommand('insertText', false, 'Bonjour le mondde'); },
		push: () => Notification.requestPermission(),
		related: () => document.requestStorageAccess(),
	});
	const out = {};
	await Promise.all(Object.keys(ways(base)).map(async (way) => {
		try { out[way] = String(await Promise.race([ways(base + way)[way](), pause(1500).then(() => 'no answer yet')])); } catch (e) { out[way] = 'threw ' + e; }
	}));
	await pause(1000);
	return out;
}
