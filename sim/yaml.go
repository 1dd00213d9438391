package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxFile is how many bytes a scenario file may have.
const MaxFile = 4 << 20

// maxElements is how many each list of a scenario may have.
const maxElements = 20_000

// reader turns YAML into a plan. It goes by the table of keys, so that an unknown
// one is found, and keeps the line of each for errors that show later.
type reader struct {
	lines map[string]int // by path, such as kinds[2].every
	errs  []error        // the first maxErrors
	name  string         // of the file

	failed int
}

// decode reads one document into keys.
func (r *reader) decode(data []byte, keys []field) {
	if len(data) > MaxFile {
		r.fail(0, "the file has %d bytes: want at most %d", len(data), MaxFile)
		return
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	err := d.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		r.fail(0, "the file is empty: \"simulate init\" writes one to start from")
		return
	case err != nil:
		r.fail(0, "no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		r.fail(more.Line, "a second document begins: want one scenario a file")
		return
	}
	r.mapping(doc.Content[0], "", keys)
}

// maxErrors is how many mistakes are told: a file of the wrong sort has one a line.
const maxErrors = 20

func (r *reader) fail(line int, format string, args ...any) {
	if r.failed++; r.failed > maxErrors {
		return
	}
	where := r.name
	if line > 0 {
		where = fmt.Sprintf("%s:%d", r.name, line)
	}
	r.errs = append(r.errs, fmt.Errorf("%s: "+format, append([]any{where}, args...)...))
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (r *reader) mapping(n *yaml.Node, path string, keys []field) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s: want keys with values, such as \"%s: …\"", orScenario(path), keys[0].key)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], resolve(n.Content[i+1])
		at := k.Value
		if path != "" {
			at = path + "." + at
		}
		if seen[k.Value] {
			r.fail(k.Line, "%s stands twice: leave one out", at)
			continue
		}
		seen[k.Value] = true
		f := find(keys, k.Value)
		if f == nil {
			r.fail(k.Line, "unknown key %s: %s", at, suggest(keys, k.Value))
			continue
		}
		r.lines[at] = k.Line
		r.field(v, at, f)
	}
}

func (r *reader) field(v *yaml.Node, path string, f *field) {
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
		r.fail(v.Line, "%s has no value: write one or leave the key out", path)
	case f.sub != nil:
		r.mapping(v, path, f.sub)
	case f.words != nil:
		r.wordList(v, path, f.words)
	case f.list != nil:
		r.elements(v, path, f.list)
	case v.Kind != yaml.ScalarNode:
		r.fail(v.Line, "%s: want one value", path)
	default:
		if err := f.value.Set(v.Value); err != nil {
			r.fail(v.Line, "%s: %q: %w", path, v.Value, err)
		}
	}
}

// wordList reads a list, or a text with commas.
func (r *reader) wordList(v *yaml.Node, path string, words *[]string) {
	*words = nil
	if v.Kind == yaml.ScalarNode {
		for _, w := range strings.Split(v.Value, ",") {
			*words = append(*words, strings.TrimSpace(w))
		}
		return
	}
	if v.Kind != yaml.SequenceNode || len(v.Content) > maxElements {
		r.fail(v.Line, "%s: want a list of at most %d", path, maxElements)
		return
	}
	for i, c := range v.Content {
		if c = resolve(c); c.Kind != yaml.ScalarNode {
			r.fail(c.Line, "%s[%d]: want a text; quote one that has \": \" in it", path, i+1)
			continue
		}
		r.lines[fmt.Sprintf("%s[%d]", path, i+1)] = c.Line
		*words = append(*words, c.Value)
	}
}

func (r *reader) elements(v *yaml.Node, path string, l *elements) {
	if v.Kind != yaml.SequenceNode || len(v.Content) > maxElements {
		r.fail(v.Line, "%s: want a list of at most %d, each beginning with \"- \"", path, maxElements)
		return
	}
	for i, c := range v.Content {
		l.add()
		at := fmt.Sprintf("%s[%d]", path, i+1)
		r.lines[at] = resolve(c).Line
		r.mapping(c, at, l.keys(i))
	}
}

// line returns the line of the path or of what it stands in.
func (r *reader) line(path string) int {
	for {
		if n := r.lines[path]; n > 0 {
			return n
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return 0
		}
		path = path[:i]
	}
}

func orScenario(path string) string {
	if path == "" {
		return "the scenario"
	}
	return path
}

func find(keys []field, name string) *field {
	for i := range keys {
		if keys[i].key == name {
			return &keys[i]
		}
	}
	return nil
}

// suggest says which keys there are, the nearest first if one is near.
func suggest(keys []field, name string) string {
	var all []string
	best, least := "", 3
	for _, k := range keys {
		all = append(all, k.key)
		if d := distance(k.key, name); d < least {
			best, least = k.key, d
		}
	}
	want := "want " + strings.Join(all, ", ")
	if best != "" {
		return fmt.Sprintf("did you mean %s? %s", best, want)
	}
	return want
}

// distance is how many letters make the one word into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// encode returns keys and their values as YAML; what is unset is left out.
func encode(keys []field) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	put := func(key string, v *yaml.Node) {
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, v)
	}
	for _, f := range keys {
		switch {
		case f.sub != nil:
			if sub := encode(f.sub); len(sub.Content) > 0 {
				put(f.key, sub)
			}
		case f.words != nil:
			if len(*f.words) > 0 {
				put(f.key, list(len(*f.words), func(i int) *yaml.Node { return scalar((*f.words)[i]) }))
			}
		case f.list != nil:
			if n := f.list.len(); n > 0 {
				put(f.key, list(n, func(i int) *yaml.Node { return encode(f.list.keys(i)) }))
			}
		case f.value.String() != "":
			v := scalar(f.value.String())
			if _, ok := f.value.(*text); !ok {
				v.Tag = "" // a number is not to be quoted
			}
			put(f.key, v)
		}
	}
	return m
}

func list(n int, at func(int) *yaml.Node) *yaml.Node {
	l := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range n {
		l.Content = append(l.Content, at(i))
	}
	return l
}

// scalar is a text; the encoder quotes it where it must.
func scalar(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
