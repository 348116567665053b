package main

import "testing"

const sample = snapshot(`- banner [ref=e2]:
  - textbox "User name" [active] [ref=e3]: ada
  - 'button "Say: \"hi\"" [ref=f1e4] [cursor=pointer]'
  - textbox "Customer *" [ref=e5]
  - textbox "Customer number" [ref=e6]
  - textbox [ref=e7]
  - text: button "Fake" [ref=e8]
  - heading "No ref"`)

func TestRef(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ role, name, want string }{
		{"textbox", "User name", "e3"},
		{"button", `Say: "hi"`, "f1e4"},
		{"textbox", "Customer", "e5"},
		{"textbox", "Customer number", "e6"},
		{"button", "User name", ""},
		{"button", "Fake", ""},
		{"heading", "No ref", ""},
	} {
		got, err := sample.ref(test.role, test.name)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s %q: %q, %v", test.role, test.name, got, err)
		}
	}
}

func TestSnapshotOf(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"### Page\n- Page URL: x\n### Snapshot\n```yaml\n- a\n- b\n```\n### Events\n- c": "- a\n- b",
		"### Snapshot\n```yaml\n- cut": "",
		"### Result\nnone":             "",
	} {
		if got, _ := snapshotOf(answer); got != snapshot(want) && want != "" {
			t.Errorf("%q gave %q", answer, got)
		}
	}
	if _, ok := snapshotOf("### Result\nnone"); ok {
		t.Error("found one where there is none")
	}
}
