package chrome

import "testing"

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
