package egress

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// OwnedBy is a [Options.PeerAllowed] that lets in the sockets of one user of this
// machine, in this network namespace, and nobody else's.
func OwnedBy(uid int) func(remote, local net.Addr) bool {
	return func(remote, local net.Addr) bool {
		owner, found := ownerOf(remote, local)
		return found && owner == uid
	}
}

// tcpTables are the kernel's lists of TCP sockets, as the calling thread's network
// has them: the process's first thread may be Chromium's parent, in another one. An
// IPv4 connection stands in the second list if its socket was made for both
// families.
var tcpTables = []string{"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"}

// ownerOf finds who owns the other end of a connection: the socket whose own
// address is our connection's remote one, and the other way round. The port alone
// would not do, as a socket may share it with others that lead elsewhere.
func ownerOf(remote, local net.Addr) (uid int, found bool) {
	theirs, ours := tcpAddr(remote), tcpAddr(local)
	if !theirs.IsValid() || !ours.IsValid() {
		return 0, false
	}
	for _, table := range tcpTables {
		b, err := os.ReadFile(table)
		if err != nil {
			continue // without IPv6 there is no second one
		}
		if uid, found = findOwner(b, theirs, ours); found {
			return uid, true
		}
	}
	return 0, false
}

func tcpAddr(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := tcp.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// Columns of the kernel's table.
const (
	columnLocal, columnRemote, columnOwner = 1, 2, 7
)

func findOwner(table []byte, local, remote netip.AddrPort) (uid int, found bool) {
	lines := bufio.NewScanner(bytes.NewReader(table))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= columnOwner || kernelAddr(fields[columnLocal]) != local || kernelAddr(fields[columnRemote]) != remote {
			continue
		}
		uid, err := strconv.Atoi(fields[columnOwner])
		return uid, err == nil
	}
	return 0, false
}

// kernelAddr reads ADDRESS:PORT as the kernel prints it: the address as words of
// four bytes in the machine's order, in hex.
func kernelAddr(s string) netip.AddrPort {
	address, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(address)
	n, err2 := strconv.ParseUint(port, 16, 16)
	if err != nil || err2 != nil || len(b) != 4 && len(b) != 16 {
		return netip.AddrPort{}
	}
	for word := range slices.Chunk(b, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	addr, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n))
}
