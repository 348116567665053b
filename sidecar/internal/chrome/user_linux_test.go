package chrome

import (
	"os"
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
