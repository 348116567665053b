//go:build linux

package chrome

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/proto"
)

// The roles below change what the test process may do and run the test again.

// TestWithoutUserNamespaces is a system that allows none: Chromium's sandbox
// can't work and there is no private network.
func TestWithoutUserNamespaces(t *testing.T) {
	if os.Getenv(roleVar) != "ordinary" {
		needRoot(t)
		again(t, t.Name(), "closed", &syscall.SysProcAttr{
			Cloneflags:                 syscall.CLONE_NEWUSER,
			UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 1}, {ContainerID: ordinaryUID, HostID: ordinaryUID, Size: 1}},
			GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 1}, {ContainerID: ordinaryUID, HostID: ordinaryUID, Size: 1}},
			GidMappingsEnableSetgroups: true,
			Credential:                 &syscall.Credential{Groups: []uint32{}},
		})
		return
	}
	b, err := tryLaunch(t, Shell)
	if err != nil {
		t.Fatal(err)
	}
	defer b.end()
	if private, why := b.seat.PrivateNetwork(); private || !strings.Contains(why, "user namespace") {
		t.Errorf("private network %t: %q", private, why)
	}
	err = b.Explain(alive(b.Process))
	if codeOf(err) != string(proto.CodeSandboxUnavailable) {
		t.Errorf("%v\n%s", err, b.Output())
	}
}

// TestWithoutUser is root that may not become anybody else.
func TestWithoutUser(t *testing.T) {
	if os.Getenv(roleVar) != "ordinary" {
		needRoot(t)
		again(t, t.Name(), "drop "+strconv.Itoa(unix.CAP_SETUID), &syscall.SysProcAttr{})
		return
	}
	if _, err := tryLaunch(t, Shell); codeOf(err) != string(proto.CodeUserUnavailable) {
		t.Error(err)
	}
}

// TestRootWithoutAdmin is root in an ordinary container: no right to make
// network namespaces, but user namespaces.
func TestRootWithoutAdmin(t *testing.T) {
	if os.Getenv(roleVar) != "ordinary" {
		needRoot(t)
		again(t, t.Name(), "drop "+strconv.Itoa(unix.CAP_SYS_ADMIN), &syscall.SysProcAttr{})
		return
	}
	b := launch(t, Shell)
	checkWalls(t, b)
	checkProcess(t, b)
	checkNetwork(t, b)
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to set the stage")
	}
}

// playRole is what a re-executed test binary does in place of the tests.
func playRole(role string) int {
	word, number, _ := strings.Cut(role, " ")
	switch word {
	case "closed":
		err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
		if errors.Is(err, syscall.EROFS) {
			fmt.Println("--- SKIP: the kernel's settings can't be changed in this container")
			return 0
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		return testsAgain(&syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUID, Gid: ordinaryUID, Groups: []uint32{}}})
	case "drop":
		runtime.LockOSThread()
		cap, _ := strconv.Atoi(number)
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(cap), 0, 0, 0); err != nil {
			fmt.Println(err)
			return 1
		}
		return testsAgain(&syscall.SysProcAttr{})
	case "parent":
		return standIn(number)
	}
	fmt.Fprintln(os.Stderr, "unknown role", role)
	return 2
}

// testsAgain runs the same tests in a child with attr.
func testsAgain(attr *syscall.SysProcAttr) int {
	runtime.LockOSThread()
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), roleVar+"=ordinary")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = attr
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}
