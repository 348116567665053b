package proto

// Version is Pillion's own version, printed by `sidecar --version`, in Ready
// and in /health. A build sets another one with
// -ldflags "-X github.com/pillion-browser/pillion/proto.Version=1.2.3".
var Version = "0.1.0"
