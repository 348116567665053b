package proc

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const goodStat = "4711 (a) b (c) S 1 4711 4700 0 -1 4194304 1 0 0 0 5 6 0 0 20 0 1 0 998877 1000 10 18446744073709551615\n"

func TestParseStat(t *testing.T) {
	want := Process{PID: 4711, Parent: 1, Group: 4711, Session: 4700, UID: -1, Start: 998877}
	for _, tt := range []struct {
		name, row string
		want      Process
		bad       bool
	}{
		{name: "brackets and spaces in the name", row: goodStat, want: want},
		{name: "newline in the name", row: strings.Replace(goodStat, "a) b", "a\n1 (x) Z 0", 1), want: want},
		{name: "zombie", row: strings.Replace(goodStat, ") S ", ") Z ", 1), want: func() Process { p := want; p.Zombie = true; return p }()},
		{name: "empty", row: "", bad: true},
		{name: "no name", row: "4711 S 1 2 3", bad: true},
		{name: "cut short", row: "4711 (a) S 1 4711 4700", bad: true},
		{name: "letters for numbers", row: strings.Replace(goodStat, "S 1", "S x", 1), bad: true},
		{name: "process 0", row: "0" + goodStat[4:], bad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseStat([]byte(tt.row))
			if (err != nil) != tt.bad {
				t.Fatalf("error %v, want one: %t", err, tt.bad)
			}
			if diff := cmp.Diff(tt.want, got); !tt.bad && diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte(goodStat))
	f.Add([]byte("1 () Z"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, row []byte) {
		if p, err := parseStat(row); err == nil && p.PID < 1 {
			t.Errorf("accepted process %d", p.PID)
		}
	})
}

func TestSplitArgs(t *testing.T) {
	for line, want := range map[string][]string{
		"":                     nil,
		"\x00\x00":             nil,
		"a\x00":                {"a"},
		"a\x00--b=c d\x00\x00": {"a", "--b=c d"},
		"a\x00\x00b\x00":       {"a", "", "b"},
		"renamed --type=x":     {"renamed --type=x"},
	} {
		if diff := cmp.Diff(want, splitArgs([]byte(line))); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

func TestTree(t *testing.T) {
	all := []Process{{PID: 5, Parent: 4}, {PID: 2, Parent: 1}, {PID: 4, Parent: 3}, {PID: 3, Parent: 1}, {PID: 6, Parent: 3}}
	var got []int
	for _, p := range Tree(all, 3) {
		got = append(got, p.PID)
	}
	if diff := cmp.Diff([]int{3, 4, 6, 5}, got); diff != "" {
		t.Error(diff)
	}
	if Tree(all, 99) != nil {
		t.Error("a root that is gone has descendants")
	}
	// A table that was read while ids moved may hold a circle.
	if got := Tree([]Process{{PID: 7, Parent: 8}, {PID: 8, Parent: 7}}, 7); len(got) != 2 {
		t.Errorf("circle: %v", got)
	}
}

func TestClaimSelect(t *testing.T) {
	const profile = "/tmp/s/profile-abcdef"
	browser := Process{PID: 100, Session: 100, UID: 61200, Start: 7}
	all := []Process{
		{PID: 1, Session: 100, UID: 61200},
		browser,
		{PID: 101, Session: 100, UID: 61200, Start: 8},
		{PID: 102, Session: 100, UID: 0, Start: 8},
		{PID: 103, Session: 103, UID: 61200, Start: 9}, // crash handler
		{PID: 104, Session: 104, UID: 61200, Start: 9}, // stranger of the same user
		{PID: 105, Session: 100, UID: 61200, Start: 9, Zombie: true},
		{PID: 106, Session: 106, UID: 50, Start: 9},    // another user who quotes our profile
		{PID: 107, Session: 107, UID: 61200, Start: 9}, // rewrote its command line
		{PID: 108, Session: 108, UID: 61200, Start: 9}, // another profile
		{PID: os.Getpid(), Session: 100, UID: 61200, Start: 9},
	}
	args := func(pid int) []string {
		switch pid {
		case 103:
			return []string{"handler", "--database=" + profile + "/home/.config/x"}
		case 104:
			return []string{"grep", profile, "--database=" + profile + "-other/x"}
		case 106:
			return []string{"chromium", "--user-data-dir=" + profile}
		case 107:
			return []string{"chromium --headless=new --user-data-dir=" + profile + " --x about:blank"}
		case 108:
			return []string{"chromium --user-data-dir=" + profile + "x"}
		}
		return nil
	}
	for _, tt := range []struct {
		name  string
		claim Claim
		want  []int
	}{
		{"nothing", Claim{UID: 61200}, nil},
		{"session", Claim{Leader: 100, LeaderStart: 7, UID: 61200}, []int{100, 101}},
		{"id given out again", Claim{Leader: 100, LeaderStart: 6, UID: 61200}, nil},
		{"profile", Claim{UID: 61200, Profile: profile}, []int{103, 107}},
		{"session and profile", Claim{Leader: 100, LeaderStart: 7, UID: 61200, Profile: profile}, []int{100, 101, 103, 107}},
		{"dedicated user", Claim{UID: 61200, Dedicated: true}, []int{100, 101, 103, 104, 107, 108}},
		{"root is never dedicated", Claim{UID: 0, Dedicated: true}, nil},
		{"relative profile", Claim{UID: 61200, Profile: "profile-abcdef"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, p := range tt.claim.Select(all, args) {
				got = append(got, p.PID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	// Members of a session outlive its leader; the id stays taken meanwhile.
	left := Claim{Leader: 100, LeaderStart: 7, UID: 61200}.Select(all[2:3], args)
	if len(left) != 1 {
		t.Errorf("session without its leader: %v", left)
	}
}

func TestHunt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	profile := t.TempDir() + "/profile-abcdef"
	// A shell that waits for its input, with the argument of a browser.
	child := exec.Command("/bin/sh", "-c", "trap '' TERM; read line", "--user-data-dir="+profile)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() { waited <- child.Wait() }()
	for Args(child.Process.Pid) == nil {
		time.Sleep(time.Millisecond)
	}
	left, err := Claim{UID: os.Geteuid(), Profile: profile}.Hunt(t.Context())
	if err != nil || left != nil {
		t.Fatalf("left %v, %v", left, err)
	}
	if err := <-waited; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("child ended with %v", err)
	}
}

func TestUsers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	users, err := Users()
	if err != nil || !users[os.Geteuid()] {
		t.Errorf("our own user is missing in %v, %v", users, err)
	}
	self, err := Read(os.Getpid())
	if err != nil || self.UID != os.Geteuid() || self.Parent != os.Getppid() {
		t.Errorf("%+v, %v", self, err)
	}
}
