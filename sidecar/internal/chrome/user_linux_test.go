package chrome

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPickUser(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		if os.Geteuid() != 0 {
			u, err := PickUser()
			if err != nil || u.UID != os.Geteuid() || u.Dedicated || u.Hold() != nil || u.Close() != nil {
				t.Errorf("%+v, %v", u, err)
			}
			return
		}
		seen := make(map[int]bool)
		for range 20 {
			u, err := PickUser()
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			if !u.Dedicated || u.UID < firstUID || u.UID > lastUID || u.GID != u.UID || seen[u.UID] {
				t.Errorf("%+v, seen %v", u, seen)
			}
			seen[u.UID] = true
		}
	})
}

func TestReserveUser(t *testing.T) {
	first, err := reserveUser(firstUID)
	if err != nil {
		t.Skip(err)
	}
	if _, err := reserveUser(firstUID); err != errReserved {
		t.Errorf("reserved twice: %v", err)
	}
	first.Close()
	again, err := reserveUser(firstUID)
	if err != nil {
		t.Fatalf("still reserved: %v", err)
	}
	again.Close()
}

// TestLendAuthority gives a dedicated user the key to the display.
func TestLendAuthority(t *testing.T) {
	user, err := PickUser()
	if err != nil || !user.Dedicated {
		t.Skip("needs root")
	}
	defer user.Close()
	profile := newProfile(t, user)
	key := filepath.Join(t.TempDir(), "Xauthority")
	if err := os.WriteFile(key, []byte("cookie"), 0o600); err != nil {
		t.Fatal(err)
	}
	lent, err := lendAuthority(key, filepath.Join(profile, "home"), user)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(lent)
	if err != nil {
		t.Fatal(err)
	}
	if owner := int(info.Sys().(*syscall.Stat_t).Uid); owner != user.UID || info.Mode() != 0o600 || filepath.Dir(lent) != filepath.Join(profile, "home") {
		t.Errorf("%s: owner %d, mode %v", lent, owner, info.Mode())
	}
	if _, err := lendAuthority(key+"-missing", filepath.Join(profile, "home"), user); err == nil {
		t.Error("lends a key that is not there")
	}
}
