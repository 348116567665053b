package chrome

import (
	"os"
	"testing"
)

func TestParseIDMap(t *testing.T) {
	for _, tt := range []struct {
		text string
		in   []int
		out  []int
		bad  bool
	}{
		{text: "         0          0 4294967295\n", in: []int{0, 61184, 65519}},
		{text: "0 100000 65536\n", in: []int{0, 61184, 65535}, out: []int{65536, 100000}},
		{text: "0 1000 1\n1 100000 1000\n", in: []int{0, 1, 1000}, out: []int{1001, 61184, -1}},
		{text: "", out: []int{0}},
		{text: "0 0\n", bad: true},
		{text: "a b c\n", bad: true},
	} {
		mapped, err := parseIDMap(tt.text)
		if (err != nil) != tt.bad {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		for _, id := range tt.in {
			if !mapped(id) {
				t.Errorf("%q: %d is missing", tt.text, id)
			}
		}
		for _, id := range tt.out {
			if mapped(id) {
				t.Errorf("%q: %d is there", tt.text, id)
			}
		}
	}
}

func FuzzParseIDMap(f *testing.F) {
	f.Add("0 0 4294967295\n", 5)
	f.Add("0 9223372036854775807 9223372036854775807\n-1 0 1\n", -1)
	f.Fuzz(func(t *testing.T, text string, id int) {
		if mapped, err := parseIDMap(text); err == nil {
			mapped(id)
		}
	})
}

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
