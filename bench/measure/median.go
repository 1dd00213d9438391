package measure

import "slices"

// median is the middle value, or the mean of the two in the middle. It sorts v.
func median(v []float64) float64 {
	slices.Sort(v)
	if m := len(v) / 2; len(v)%2 == 1 {
		return v[m]
	} else {
		return (v[m-1] + v[m]) / 2
	}
}
