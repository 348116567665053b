package supervisor

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// dialable returns the address at which a sidecar that listens on host and
// port is reached from its own machine: an address of every interface is not
// one to dial.
func dialable(host string, port int) string {
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::", "[::]":
		host = "::1"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port))
}

// translate rewrites the host and port of rawURL for the child. It leaves an
// URL that it can't take apart to the sidecar, whose judgement of URLs counts.
func translate(runner Runner, rawURL string) (string, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return rawURL, nil
	}
	addr, err := runner.ChildAddr(u.Host)
	if err != nil {
		return "", err
	}
	if addr == u.Host {
		return rawURL, nil
	}
	u.Host = addr
	return u.String(), nil
}
