package proto

// URL is a parsed URL in the terms of the WHATWG URL standard, which is what
// browsers mean by a URL. Every part is serialised, as in Href.
type URL struct {
	Scheme   string // without the colon, lower-case: "http"
	Host     string // host name, and the port where it is not the scheme's own: "[::1]:3000"
	Port     string // decimal; "" for the scheme's own
	Hostname string // host name alone; IPv6 in brackets
	Path     string // "/" at least, for http and https
	Query    string // without "?"; "" for none and for an empty one
	Fragment string // without "#"; "" for none and for an empty one
	Username string
	Password string
	Origin   string // "http://127.0.0.1:3000", or "null" where the scheme has none
	Href     string // the whole URL
}

// URLParser parses an absolute URL as the WHATWG URL standard says. Package
// proto uses the standard library only, and the standard library's URLs are not
// a browser's, so whoever decodes a config hands a parser in. It must be the
// one that decides about navigations: a config is only as strict as the
// agreement of the two.
type URLParser func(raw string) (URL, error)
