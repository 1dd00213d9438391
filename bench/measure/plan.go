package measure

import "github.com/tickwheel/tickwheel/bench/peer"

// Measures are the names of all measures, in order.
func Measures() []string { return []string{"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"} }

// QuickPeers are those that a quick comparison has.
func QuickPeers() []string { return []string{"tickwheel", "go-runtime", "hashed-512"} }

// Plan lists the cases of a comparison, each as often as rounds says, in the order
// to run them: round by round, so that a slow minute of the machine hits all alike.
func Plan(quick bool, rounds int) []Case {
	var kinds []peer.Kind
	for _, k := range peer.Kinds() {
		if quick {
			for _, name := range QuickPeers() {
				if k.Name == name {
					kinds = append(kinds, k)
				}
			}
			continue
		}
		kinds = append(kinds, k)
	}
	cases := cases(kinds, quick)
	var plan []Case
	for range rounds {
		plan = append(plan, cases...)
	}
	return plan
}

// sizes are the numbers of timers of the measures that have several.
func sizes(measure string, quick bool) []int {
	switch {
	case measure == "W1" && quick:
		return []int{10_000, 100_000, 1_000_000}
	case measure == "W1":
		return []int{10_000, 100_000, 1_000_000, 10_000_000}
	case measure == "W2" && !quick:
		return []int{100_000, 1_000_000}
	}
	return []int{1_000_000}
}

// cases lists each case once.
func cases(kinds []peer.Kind, quick bool) []Case {
	var all []Case
	add := func(measure string, n int, name, variant string, group bool) {
		all = append(all, Case{Measure: measure, N: n, Peer: name, Variant: variant, Group: group, Quick: quick})
	}
	for _, measure := range Measures()[:6] {
		if measure == "W4" {
			add(measure, 1_000_000, "empty-heap", "", false)
		}
		for _, n := range sizes(measure, quick) {
			for _, k := range kinds {
				ours := k.Name == "tickwheel"
				switch {
				case n > k.Limit(measure):
				case measure == "W3":
					add(measure, n, k.Name, "idle", false)
					add(measure, n, k.Name, "worst", false)
					if ours {
						add(measure, n, k.Name, "far", false)
						add(measure, n, k.Name, "empty", false)
					}
				case measure == "W5":
					add(measure, n, k.Name, "", ours)
				default:
					add(measure, n, k.Name, "", false)
					if ours && (measure == "W1" || measure == "W4") {
						add(measure, n, k.Name, "", true)
					}
				}
			}
		}
	}
	for _, n := range []int{8, 64} {
		for _, name := range []string{"tickwheel", "mutex-slice", "channel"} {
			add("W7", n, name, "", false)
		}
	}
	for _, variant := range []string{"none", "uniform", "best2", "best4"} {
		add("W8", 100_000, "tickwheel", variant, false)
	}
	return all
}
