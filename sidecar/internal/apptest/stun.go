package apptest

import (
	"encoding/binary"
	"net/netip"
)

// Numbers of STUN (RFC 8489) that an answer to a binding request needs.
const (
	stunHeader     = 20
	stunCookie     = 0x2112A442
	stunRequest    = 0x0001
	stunSuccess    = 0x0101
	stunXorAddress = 0x0020
	stunIPv4       = 0x01
)

// stunAnswer answers a binding request from an IPv4 peer with the address that
// it came from; it returns nil for anything else.
func stunAnswer(packet []byte, from netip.AddrPort) []byte {
	addr := from.Addr().Unmap()
	if len(packet) < stunHeader || !addr.Is4() ||
		binary.BigEndian.Uint16(packet) != stunRequest || binary.BigEndian.Uint32(packet[4:]) != stunCookie {
		return nil
	}
	const attribute = 12 // bytes: type, length, family, port, address
	b := binary.BigEndian.AppendUint16(nil, stunSuccess)
	b = binary.BigEndian.AppendUint16(b, attribute)
	b = append(b, packet[4:stunHeader]...) // cookie and transaction
	b = binary.BigEndian.AppendUint16(b, stunXorAddress)
	b = binary.BigEndian.AppendUint16(b, attribute-4)
	b = append(b, 0, stunIPv4)
	b = binary.BigEndian.AppendUint16(b, from.Port()^uint16(stunCookie>>16))
	four := addr.As4()
	return binary.BigEndian.AppendUint32(b, binary.BigEndian.Uint32(four[:])^stunCookie)
}
