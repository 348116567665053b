//go:build linux

package chrome

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// TestParentKilled kills a stand-in for the sidecar at several moments.
func TestParentKilled(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		for _, moment := range []string{"prepared", "started", "answered", "hanging", "full"} {
			t.Run(moment, func(t *testing.T) { killParent(t, moment) })
		}
	})
}

func killParent(t *testing.T, moment string) {
	cmd := exec.Command("/proc/self/exe")
	tmp := openTemp(t)
	cmd.Env = []string{roleVar + "=parent " + moment, "TMPDIR=" + tmp, "PATH=" + searchPath}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(line, "ready") {
		t.Errorf("stand-in says %q", line)
	}
	all, err := proc.List()
	if err != nil {
		t.Fatal(err)
	}
	family := proc.Tree(all, cmd.Process.Pid)[1:]
	if moment != "prepared" && len(family) == 0 {
		t.Error("there is no Chromium")
	}
	cmd.Process.Kill()
	cmd.Wait()
	start := time.Now()
	for {
		var left []proc.Process
		for _, p := range family {
			if now, err := proc.Read(p.PID); err == nil && now.Start == p.Start && !now.Zombie {
				left = append(left, p)
			}
		}
		if len(left) == 0 {
			t.Logf("%d processes gone after %s", len(family), time.Since(start).Round(time.Millisecond))
			return
		}
		if time.Since(start) > goneWithin {
			t.Fatalf("left after %s: %+v", goneWithin, left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// standIn is a sidecar that goes as far as moment, says so and waits to be
// killed.
func standIn(moment string) int {
	flavour := Shell
	if moment == "full" {
		flavour = Full
	}
	ctx := context.Background()
	binary, err := Find(ctx, Want{Chromium: flavour})
	check(err)
	user, err := PickUser()
	check(err)
	profile, _, err := trialProfile(user)
	check(err)
	seat, err := Prepare(ctx, Options{Binary: binary, User: user, Profile: profile})
	check(err)
	if moment != "prepared" {
		p, err := seat.Start(ctx, seat.Listener().Addr().String())
		check(err)
		if moment != "started" {
			check(alive(p))
		}
		if moment == "hanging" {
			check(syscall.Kill(p.PID(), syscall.SIGSTOP))
		}
	}
	fmt.Println("ready")
	select {}
}

// check ends a stand-in.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
