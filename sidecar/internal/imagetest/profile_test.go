package imagetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// filter is sidecar/docs/seccomp.json, of which engines and the runtimes below
// them read these keys.
type filter struct {
	DefaultAction   string   `json:"defaultAction"`
	DefaultErrnoRet int      `json:"defaultErrnoRet"`
	Architectures   []string `json:"architectures"`
	Syscalls        []struct {
		Names  []string `json:"names"`
		Action string   `json:"action"`
		Args   []struct {
			Index           int
			Value, ValueTwo uint64
			Op              string
		} `json:"args"`
	} `json:"syscalls"`
}

// enosys is the error number for a system call that the kernel does not have.
// Programs have another way ready for it, which they have not for a refusal.
const enosys = 38

func profile(t *testing.T) (f filter) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "seccomp.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// plain lists the calls that are allowed whatever their arguments.
func (f filter) plain() (names []string) {
	for _, s := range f.Syscalls {
		if s.Action == "SCMP_ACT_ALLOW" && len(s.Args) == 0 {
			names = append(names, s.Names...)
		}
	}
	return names
}

// TestFilterIsClosed holds the system call filter to what the documentation
// says of it: closed but for what is named, and with namespaces of three kinds.
func TestFilterIsClosed(t *testing.T) {
	f := profile(t)
	if f.DefaultAction != "SCMP_ACT_ERRNO" || f.DefaultErrnoRet != enosys {
		t.Errorf("what is not named gets %s with %d", f.DefaultAction, f.DefaultErrnoRet)
	}
	plain := f.plain()
	for _, name := range []string{
		"mount", "umount2", "pivot_root", "setns", "open_tree", "move_mount", "fsopen", "fsmount", "mount_setattr",
		"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "init_module", "finit_module", "kexec_load",
		"keyctl", "add_key", "request_key", "open_by_handle_at", "reboot", "swapon", "acct",
		"clone", "clone3", "unshare", "socket", "personality", "clock_settime", "settimeofday",
	} {
		if slices.Contains(plain, name) {
			t.Errorf("%s is allowed", name)
		}
	}
	const ( // flags of clone and unshare
		newTime, newMount, newCgroup, newUTS, newIPC = 0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000
		newUser, newPID, newNet                      = 0x10000000, 0x20000000, 0x40000000
		needed                                       = newUser | newPID | newNet
		// In the low byte clone has the signal of the child's end, so there
		// is no room for the time namespace.
		closedToClone = newMount | newCgroup | newUTS | newIPC
	)
	closed := map[string]uint64{"clone": closedToClone, "unshare": closedToClone | newTime}
	families := map[uint64]bool{}
	for _, s := range f.Syscalls {
		for _, name := range s.Names {
			mask, ok := closed[name]
			switch {
			case ok:
				a := s.Args[0]
				if len(s.Args) != 1 || a.Index != 0 || a.Op != "SCMP_CMP_MASKED_EQ" || a.Value != mask || a.ValueTwo != 0 || a.Value&needed != 0 {
					t.Errorf("%s is allowed with %+v", name, s.Args)
				}
				delete(closed, name)
			case name == "socket":
				families[s.Args[0].Value] = s.Args[0].Op == "SCMP_CMP_EQ"
			}
		}
	}
	if len(closed) > 0 {
		t.Errorf("there is no rule for %v", closed)
	}
	// Unix, IPv4, IPv6 and netlink: what Chromium and Go speak.
	for _, family := range []uint64{1, 2, 10, 16} {
		if !families[family] {
			t.Errorf("sockets of family %d are refused", family)
		}
		delete(families, family)
	}
	if len(families) > 0 {
		t.Errorf("more families of sockets are allowed: %v", families)
	}
}
