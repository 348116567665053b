package supervisor

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/proto"
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

// translateOrigins rewrites origins that have another address for the child. What a
// host calls by an address of its own is private there as well.
func translateOrigins(runner Runner, origins []proto.AllowedOrigin) ([]proto.AllowedOrigin, error) {
	origins = slices.Clone(origins)
	for i, o := range origins {
		to, err := translate(runner, o.Origin)
		if err != nil {
			return nil, err
		}
		if to != o.Origin {
			origins[i] = proto.AllowedOrigin{Origin: to, Private: true}
		}
	}
	return origins, nil
}

// translateHosts does the same for hosts, where one is an address of its own: it
// names its port.
func translateHosts(runner Runner, hosts []proto.AllowedHost) ([]proto.AllowedHost, error) {
	hosts = slices.Clone(hosts)
	for i, h := range hosts {
		if h.Port == 0 || strings.HasPrefix(h.Host, "*") {
			continue
		}
		from := net.JoinHostPort(strings.Trim(h.Host, "[]"), strconv.Itoa(h.Port))
		to, err := runner.ChildAddr(from)
		if err != nil {
			return nil, err
		}
		if to == from {
			continue
		}
		host, port, err := net.SplitHostPort(to)
		if err != nil {
			return nil, err
		}
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		n, err := strconv.Atoi(port)
		if err != nil {
			return nil, err
		}
		hosts[i] = proto.AllowedHost{Host: host, Port: n, Private: true}
	}
	return hosts, nil
}
