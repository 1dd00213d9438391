package sim

import (
	"bytes"
	"testing"
	"time"
)

// Whatever stands in a file, it is a plan that reads the same again, or an error.
func FuzzParsePlan(f *testing.F) {
	f.Add(Template())
	for _, name := range Presets() {
		data, _ := presets.ReadFile("presets/" + name + ".yaml")
		f.Add(data)
	}
	f.Add([]byte("costs: {input: 1ms 2ms 9ms}\nsessions: {lost: 1m, grace: 5s, grace-runs: true}\nstorms: [{do: disconnect}]"))
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

// Whatever stands in a file of costs, it is samples that can be measured, or an error.
func FuzzReadCosts(f *testing.F) {
	f.Add([]byte("work,runs,ns\na,1,5\na,2,8\n\"a,b\",3,0\n"))
	f.Add([]byte("work,runs,ns\n\xbb,1,0"))
	f.Add([]byte("work,runs,ns\na,68719476736,36000000000000000\na,1,0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		samples, err := ReadCosts("x", bytes.NewReader(data))
		if err != nil {
			return
		}
		name := samples[0].Work
		p := newPlan()
		p.Scenario.Kinds = []Kind{{Name: name, Every: time.Second}}
		if p.Scenario.Validate() != nil {
			return // no name for a kind
		}
		if _, err := p.Calibrate(samples); err != nil {
			t.Fatal(err)
		}
		if d := p.Scenario.Kinds[0].Cost; d.pick(0) < 0 || d == (Dist{}) {
			t.Fatalf("a cost of %v", d)
		}
		if _, err := ParsePlan("x", p.YAML()); err != nil {
			t.Fatalf("%v\n%s", err, p.YAML())
		}
	})
}
