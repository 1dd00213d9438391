package sim

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed presets/*.yaml
var presets embed.FS

// template is the file of a scenario to start from; it is no preset.
const template = "template"

// Presets returns the names of the built-in scenarios, in order.
func Presets() (names []string) {
	entries, err := presets.ReadDir("presets")
	if err != nil {
		panic(fmt.Sprintf("sim: Presets: %v", err)) // it is in the binary
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".yaml"); name != template {
			names = append(names, name)
		}
	}
	return names
}

// Preset returns the built-in scenario of a name, and whether there is one.
func Preset(name string) (*Plan, bool) {
	data, err := presets.ReadFile("presets/" + name + ".yaml")
	if err != nil || name == template {
		return nil, false
	}
	p, err := ParsePlan(name+".yaml", data)
	if err != nil {
		panic(fmt.Sprintf("sim: Preset: %v", err)) // a test reads them all
	}
	p.lines = nil // who takes it by its name sees no lines
	return p, true
}

// Template returns a scenario file with comments to start from.
func Template() []byte {
	data, err := presets.ReadFile("presets/" + template + ".yaml")
	if err != nil {
		panic(fmt.Sprintf("sim: Template: %v", err))
	}
	return data
}

// SpawnStorm is the scenario of a run without a name: 2,000 players; after 60 s
// an event kills 100,000 monsters that respawn 30 s later; after 120 s everybody
// logs out; 150 s in ticks of 50 ms.
func SpawnStorm() Scenario {
	p, _ := Preset("spawn-storm")
	return p.Scenario
}
