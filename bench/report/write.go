package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Files is where the output of a full comparison goes.
type Files struct {
	// Docs is the folder of benchmarks.md, Results that of the raw results.
	Docs, Results string
}

// Check returns an error unless both folders are there: better before a long run
// than after it.
func (f Files) Check() error {
	var errs []error
	for _, dir := range []string{f.Docs, f.Results} {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			errs = append(errs, fmt.Errorf("report: folder %s: not there: run from the folder bench of the repository", dir))
		}
	}
	return errors.Join(errs...)
}

// Write writes the document, a picture a measure and the results. Everything is
// made before the first file is touched.
func (f Files) Write(results []Result, m Machine) error {
	source := m.Date + ".json"
	raw, err := marshal(struct {
		Machine Machine  `json:"machine"`
		Results []Result `json:"results"`
	}{m, results})
	if err != nil {
		return err
	}
	files := map[string][]byte{filepath.Join(f.Results, source): raw}
	var pictures []string
	for _, s := range sections() {
		svg, err := picture(s.measure, s.measure+" · "+s.title, s.unit, results, s.get)
		if err != nil {
			return err
		}
		if svg != nil {
			pictures = append(pictures, s.measure)
			files[filepath.Join(f.Docs, filepath.FromSlash(picturePath(s.measure)))] = svg
		}
	}
	files[filepath.Join(f.Docs, "benchmarks.md")] = []byte(Document(results, m, pictures, source))
	for name, text := range files {
		if err := WriteFile(name, text); err != nil {
			return err
		}
	}
	return nil
}

// WriteRows writes the medians as a JSON array.
func WriteRows(name string, results []Result) error {
	text, err := marshal(Rows(results))
	if err != nil {
		return err
	}
	return WriteFile(name, text)
}

func marshal(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return append(text, '\n'), nil
}

// WriteFile replaces a file in one step: whoever reads it sees the old or the new.
func WriteFile(name string, text []byte) (err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: %w: choose a folder that can be made", err)
	}
	tmp, err := os.CreateTemp(dir, ".compare-*")
	if err != nil {
		return fmt.Errorf("report: %w: choose a folder that can be written to", err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
			err = fmt.Errorf("report: writing %s: %w", name, err)
		}
	}()
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
