package policy

import (
	"net/netip"
	"slices"
	"strings"
)

// Lengths of names, from the DNS.
const (
	maxName  = 253
	maxLabel = 63
)

// Literal is the address that a host, as [ParseURL] serialises it, spells; false
// for a name. Odd spellings (0x7f.1, 2130706433, 127.1, a dot at the end) are
// numbers to [ParseURL] already and arrive here as 127.0.0.1.
func Literal(host string) (netip.Addr, bool) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	addr, err := netip.ParseAddr(host)
	return addr, err == nil
}

// LocalName says whether host is a name that never leaves a machine or its
// network: localhost and everything under it, under .local and under .internal.
func LocalName(host string) bool {
	host = strings.TrimSuffix(asciiLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")
}

// resolvable says whether a resolver may be asked for name: letters, digits,
// hyphens and underscores in labels of the DNS's lengths. One dot at the end is
// taken off by the caller.
func resolvable(name string) bool {
	if name == "" || len(name) > maxName || endsInNumber(name) {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel {
			return false
		}
		for i := range len(label) {
			if !nameByte(label[i]) {
				return false
			}
		}
	}
	return true
}

// nameByte says whether c can stand in a name's label after serialisation.
func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// endsInNumber is the URL standard's test for an IPv4 address: the last label,
// or the one before a dot at the end, is a number in some base. Such a host is
// an address or nothing, never a name: resolvers of C libraries read numbers
// that others pass on as names.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(asciiLower(last), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// asciiLower lowers A to Z and leaves every other byte alone.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// The reasons that a port may give.
const (
	// ReasonPort is for a port that browsers refuse, too.
	ReasonPort Reason = "uses a port that browsers refuse"
	// ReasonService is for a port of a service that serves no pages.
	ReasonService Reason = "uses a port of no web server"
)

// blockedPorts is the list of the Fetch standard, sorted: ports of services that
// could take an HTTP request for a command of theirs (mail, news, IRC, printers).
var blockedPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
	101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
	389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587,
	601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
	6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// servicePorts are those of other well-known services that serve no pages, sorted:
// databases, queues, remote desktops, files, printers. A tunnel carries any
// protocol, so what browsers would send there is not all that a page can. STUN
// and TURN are among them: a page uses such a server to reach others in its name,
// and says where in the server's own name, which would be looked up.
var servicePorts = []uint16{
	88, 445, 464, 500, 502, 623, 873, 1080, 1194, 1433, 1434, 1521, 1883, 2181, 2375, 2376, 2379, 2380,
	3268, 3269, 3306, 3389, 3478, 3479, 4369, 5222, 5269, 5349, 5350, 5432, 5671, 5672, 5900, 5901,
	6379, 6380, 9042, 9092, 9100, 11211, 19302, 27017, 27018, 27019,
}

// JudgePort says why no connection is made to a port, unless it is the app's; ""
// allows it.
func JudgePort(port uint16) Reason {
	if _, found := slices.BinarySearch(blockedPorts, port); found {
		return ReasonPort
	}
	if _, found := slices.BinarySearch(servicePorts, port); found {
		return ReasonService
	}
	return ""
}
