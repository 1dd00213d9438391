package sim

import (
	"bytes"
	"testing"
)

// Whatever stands in a file, it is a plan that reads the same again, or an error.
func FuzzParsePlan(f *testing.F) {
	f.Add(Template())
	for _, name := range Presets() {
		data, _ := presets.ReadFile("presets/" + name + ".yaml")
		f.Add(data)
	}
	f.Add([]byte("kinds: &k [*k]\narrivals: &a {over: *a}"))
	f.Add([]byte(`{"name": "x", "policy": "cap,jitter", "expect": ["shed == 0"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePlan("x", data)
		if err != nil {
			if p != nil || err.Error() == "" {
				t.Fatalf("a plan beside the error %v", err)
			}
			return
		}
		written := p.YAML()
		again, err := ParsePlan("x", written)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, written)
		}
		if !bytes.Equal(again.YAML(), written) {
			t.Fatalf("written again it differs:\n%s\n%s", written, again.YAML())
		}
	})
}
