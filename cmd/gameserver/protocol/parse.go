package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse reads one request from a line. On success the error is nil. Otherwise
// the Request holds what could be read of its ID, so that the refusal can be
// told from others, and nothing else.
func Parse(line []byte) (Request, *Error) {
	raw, err := members(line)
	var r Request
	// The id first: it belongs into whatever refusal follows.
	var idErr *Error
	if v, ok := raw["id"]; ok {
		r.ID.N, idErr = number("id", v, 0, MaxID)
		r.ID.Set = idErr == nil
	}
	if err != nil {
		return Request{ID: r.ID}, err
	}
	if idErr != nil {
		return Request{}, idErr
	}
	if err := r.fill(raw); err != nil {
		return Request{ID: r.ID}, err
	}
	return r, nil
}

// members splits an object into its members without interpreting them. On an
// error it still returns those read before it. Unlike json.Unmarshal it refuses
// a member that comes twice and does not ignore case.
func members(line []byte) (map[string]json.RawMessage, *Error) {
	raw := make(map[string]json.RawMessage, 4)
	if !utf8.Valid(line) {
		return raw, Errorf(CodeBadJSON, "the line is not UTF-8: send one JSON object in UTF-8")
	}
	bad := func(err error) *Error {
		return Errorf(CodeBadJSON, "%s: send one JSON object a line, such as {\"op\":\"ping\"}", jsonReason(err))
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber() // numbers are checked as they are written, not as floats
	if tok, err := dec.Token(); err != nil {
		return raw, bad(err)
	} else if tok != json.Delim('{') {
		return raw, Errorf(CodeBadJSON, "the line starts with %s: send one JSON object a line, such as {\"op\":\"ping\"}", clip(string(line)))
	}
	var twice *Error
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return raw, bad(err)
		}
		key, ok := tok.(string)
		if !ok {
			return raw, bad(fmt.Errorf("a member without a name"))
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return raw, bad(err)
		}
		if _, ok := raw[key]; ok && twice == nil {
			twice = Errorf(CodeUnknownField, "field %s comes twice: send it once", clip(key))
		}
		raw[key] = value
	}
	if _, err := dec.Token(); err != nil {
		return raw, bad(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return raw, bad(fmt.Errorf("text after the object"))
	}
	return raw, twice
}

// fill sets r from the members, which it checks against the operation's table.
func (r *Request) fill(raw map[string]json.RawMessage) *Error {
	value, ok := raw["op"]
	if !ok {
		return Errorf(CodeMissingField, "field op is missing: want one of %s", opList())
	}
	op, err := text("op", value)
	if err != nil {
		return err
	}
	fields, ok := operations[Op(op)]
	if !ok {
		return Errorf(CodeUnknownOp, "op is %s: want one of %s", clip(op), opList())
	}
	seen := 1 // op
	if r.ID.Set {
		seen++
	}
	for _, f := range fields {
		value, ok := raw[f.name]
		if !ok {
			return Errorf(CodeMissingField, "%s needs the field %s", op, f.name)
		}
		if err := f.set(r, value); err != nil {
			return err
		}
		seen++
	}
	if seen != len(raw) {
		return unknownField(Op(op), raw)
	}
	r.Op = Op(op)
	return nil
}

func (f field) set(r *Request, value json.RawMessage) *Error {
	if f.number != nil {
		n, err := number(f.name, value, f.min, f.max)
		*f.number(r) = n
		return err
	}
	s, err := text(f.name, value)
	if err != nil {
		return err
	}
	*f.text(r) = s
	return f.checkText(s)
}

func (f field) checkText(s string) *Error {
	if n := int64(len(s)); n < f.min || n > f.max {
		return Errorf(CodeOutOfRange, "%s is %s, %d bytes long: want %d to %d", f.name, clip(s), n, f.min, f.max)
	}
	if f.check != nil {
		if want := f.check(s); want != "" {
			return Errorf(CodeOutOfRange, "%s is %s: want %s", f.name, clip(s), want)
		}
	}
	return nil
}

// unknownField names the first field, by name, that op does not have.
func unknownField(op Op, raw map[string]json.RawMessage) *Error {
	known := map[string]bool{"op": true, "id": true}
	names, _ := Fields(op)
	for _, n := range names {
		known[n] = true
	}
	first := ""
	for name := range raw {
		if !known[name] && (first == "" || name < first) {
			first = name
		}
	}
	want := "no fields besides op and id"
	if len(names) > 0 {
		want = strings.Join(names, ", ") + " and optionally id"
	}
	return Errorf(CodeUnknownField, "%s has no field %s: it takes %s", op, clip(first), want)
}

// number reads a whole number. Fractions and exponents are refused rather than
// rounded: 1e3 is more often a slip than a wish.
func number(name string, value json.RawMessage, lo, hi int64) (int64, *Error) {
	s := string(value)
	if s == "" || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return 0, Errorf(CodeWrongType, "%s is %s: want a whole number", name, show(s))
	}
	if strings.ContainsAny(s, ".eE") {
		return 0, Errorf(CodeWrongType, "%s is %s: want a whole number without fraction or exponent", name, show(s))
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < lo || n > hi {
		return 0, Errorf(CodeOutOfRange, "%s is %s: want %d to %d", name, show(s), lo, hi)
	}
	return n, nil
}

func text(name string, value json.RawMessage) (string, *Error) {
	if len(value) == 0 || value[0] != '"' {
		return "", Errorf(CodeWrongType, "%s is %s: want a string", name, show(string(value)))
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return "", Errorf(CodeBadJSON, "%s: %s", name, jsonReason(err))
	}
	return s, nil
}

// clip quotes a value from outside for a message: short, on one line, and
// unable to imitate the message around it.
func clip(s string) string { return strconv.Quote(show(s)) }

// show shortens a JSON value for a message. Being JSON, it is quoted already.
func show(s string) string { return shorten(s, 40) }

// shorten cuts s to limit bytes, between two characters.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// jsonReason is a decoder's error without the decoder's name, and short: some
// repeat the input.
func jsonReason(err error) string {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return "the object does not end"
	}
	return shorten(strings.TrimPrefix(err.Error(), "json: "), 120)
}

func opList() string {
	var names []string
	for _, op := range Ops() {
		names = append(names, string(op))
	}
	return strings.Join(names, ", ")
}
