package protocol

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseAccepts(t *testing.T) {
	id := func(n int64) ID { return ID{N: n, Set: true} }
	for _, c := range []struct {
		line string
		want Request
	}{
		{`{"op":"ping"}`, Request{Op: OpPing}},
		{` { "op" : "ping" , "id" : 0 } `, Request{Op: OpPing, ID: id(0)}},
		{`{"id":9007199254740992,"op":"stats"}`, Request{Op: OpStats, ID: id(MaxID)}},
		{`{"op":"login","name":"ann"}`, Request{Op: OpLogin, Name: "ann"}},
		{`{"op":"login","name":"a-b_9"}`, Request{Op: OpLogin, Name: "a-b_9"}},
		{`{"op":"cast","skill":"heal","id":7}`, Request{Op: OpCast, Skill: "heal", ID: id(7)}},
		{`{"op":"attack","monster":100000}`, Request{Op: OpAttack, Monster: MaxMonster}},
		{`{"op":"timer","after_ms":0,"tag":""}`, Request{Op: OpTimer}},
		{`{"op":"timer","after_ms":86400000,"tag":"été <>&"}`, Request{Op: OpTimer, AfterMS: MaxAfterMS, Tag: "été <>&"}},
		{`{"op":"storm","count":1,"spread_ms":600000}`, Request{Op: OpStorm, Count: 1, SpreadMS: MaxSpreadMS}},
		{`{"op":"\u0070ing"}`, Request{Op: OpPing}},
		{`{"op":"logout"}`, Request{Op: OpLogout}},
	} {
		got, err := Parse([]byte(c.line))
		assert.Nil(t, err, c.line)
		assert.Equal(t, c.want, got, c.line)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		name, line string
		code       Code
		says       []string // the value and the remedy
	}{
		{"not JSON", `ping`, CodeBadJSON, []string{`{\"op\":\"ping\"}`}},
		{"an HTTP request", `GET / HTTP/1.1`, CodeBadJSON, nil},
		{"an array", `[1,2]`, CodeBadJSON, []string{"one JSON object a line"}},
		{"a bare string", `"ping"`, CodeBadJSON, nil},
		{"cut short", `{"op":"ping"`, CodeBadJSON, []string{"does not end"}},
		{"cut in a member", `{"op":`, CodeBadJSON, nil},
		{"two objects", `{"op":"ping"}{"op":"ping"}`, CodeBadJSON, []string{"after the object"}},
		{"text after it", `{"op":"ping"} x`, CodeBadJSON, nil},
		{"a trailing comma", `{"op":"ping",}`, CodeBadJSON, nil},
		{"not UTF-8", "{\"op\":\"\xff\"}", CodeBadJSON, []string{"UTF-8"}},
		{"deep nesting", `{"op":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, CodeWrongType, nil},

		{"nothing in it", `{}`, CodeMissingField, []string{"op", "login, ping"}},
		{"an unknown op", `{"op":"fly"}`, CodeUnknownOp, []string{`\"fly\"`, "login, ping"}},
		{"an op that differs in case", `{"op":"PING"}`, CodeUnknownOp, nil},
		{"an op that is a number", `{"op":7}`, CodeWrongType, []string{"op is 7", "string"}},
		{"an op that is null", `{"op":null}`, CodeWrongType, nil},
		{"a field whose case differs", `{"Op":"ping"}`, CodeMissingField, nil},
		{"a field twice", `{"op":"ping","op":"stats"}`, CodeUnknownField, []string{"twice"}},
		{"an unknown field", `{"op":"ping","x":1}`, CodeUnknownField, []string{`\"x\"`, "no fields besides"}},
		{"an unknown field beside good ones", `{"op":"cast","skill":"heal","at":1}`, CodeUnknownField, []string{`\"at\"`, "skill"}},

		{"a missing name", `{"op":"login"}`, CodeMissingField, []string{"login needs the field name"}},
		{"an empty name", `{"op":"login","name":""}`, CodeOutOfRange, []string{"1 to 24"}},
		{"a name too long", `{"op":"login","name":"` + strings.Repeat("a", 25) + `"}`, CodeOutOfRange, []string{"25 bytes"}},
		{"a name in capitals", `{"op":"login","name":"Ann"}`, CodeOutOfRange, []string{`\"Ann\"`, "a-z"}},
		{"a name with a slash", `{"op":"login","name":"../x"}`, CodeOutOfRange, nil},
		{"a name that is a number", `{"op":"login","name":5}`, CodeWrongType, nil},

		{"a number in quotes", `{"op":"attack","monster":"3"}`, CodeWrongType, []string{`\"3\"`, "whole number"}},
		{"a fraction", `{"op":"attack","monster":1.5}`, CodeWrongType, []string{"1.5", "fraction"}},
		{"an exponent", `{"op":"attack","monster":1e3}`, CodeWrongType, nil},
		{"zero", `{"op":"attack","monster":0}`, CodeOutOfRange, []string{"monster is 0", "1 to 100000"}},
		{"past the last", `{"op":"attack","monster":100001}`, CodeOutOfRange, nil},
		{"past 64 bits", `{"op":"attack","monster":99999999999999999999}`, CodeOutOfRange, nil},
		{"negative", `{"op":"timer","after_ms":-1,"tag":""}`, CodeOutOfRange, []string{"-1", "0 to 86400000"}},
		{"a day and a bit", `{"op":"timer","after_ms":86400001,"tag":""}`, CodeOutOfRange, nil},
		{"a long tag", `{"op":"timer","after_ms":1,"tag":"` + strings.Repeat("é", 33) + `"}`, CodeOutOfRange, []string{"66 bytes"}},
		{"no monsters", `{"op":"storm","count":0,"spread_ms":0}`, CodeOutOfRange, nil},
		{"null", `{"op":"storm","count":null,"spread_ms":0}`, CodeWrongType, nil},
		{"an object", `{"op":"storm","count":{},"spread_ms":0}`, CodeWrongType, nil},

		{"an id in quotes", `{"op":"ping","id":"7"}`, CodeWrongType, []string{"id is"}},
		{"a negative id", `{"op":"ping","id":-1}`, CodeOutOfRange, nil},
		{"an id no double holds", `{"op":"ping","id":9007199254740993}`, CodeOutOfRange, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse([]byte(c.line))
			require.NotNil(t, err)
			assert.Equal(t, Request{}, got)
			assert.Equal(t, c.code, err.Code)
			message, jsonErr := json.Marshal(err.Message)
			require.NoError(t, jsonErr)
			for _, s := range c.says {
				assert.Contains(t, strings.ReplaceAll(string(message), `\\\"`, `\"`), s)
			}
		})
	}
}

func TestParseKeepsTheIDOfARefusedRequest(t *testing.T) {
	for _, line := range []string{
		`{"id":7,"op":"fly"}`,
		`{"op":"ping","x":1,"id":7}`,
		`{"id":7}`,
		`{"id":7,"op":"ping"} rubbish`,
		`{"id":7,"op":"attack","monster":0}`,
		`{"op":"ping","id":7,"op":"ping"}`,
	} {
		got, err := Parse([]byte(line))
		assert.NotNil(t, err, line)
		assert.Equal(t, Request{ID: ID{N: 7, Set: true}}, got, line)
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`{"op":"ping"}`, `{"op":"login","name":"ann","id":1}`, `{"op":"timer","after_ms":1500,"tag":"x"}`,
		`{"op":"storm","count":1000,"spread_ms":2000}`, `{"op":"fly"}`, `[]`, `{"id":1e9}`, "{\"\xff\":1}", `{"a":{"b":[1,{}]}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := Parse(line)
		if err != nil {
			require.Empty(t, r.Op)
			require.NotEmpty(t, err.Message)
			require.True(t, utf8.ValidString(err.Message), "%q", err.Message)
			require.Less(t, len(AppendEvent(nil, 1, r.ID, Failed(err))), 600, "a refusal is short")
			return
		}
		require.True(t, json.Valid(line))
		// What is accepted says the same when written in the plainest way.
		again, err := Parse(plain(t, r))
		require.Nil(t, err)
		require.Equal(t, r, again)
	})
}

func plain(t *testing.T, r Request) []byte {
	m := map[string]any{"op": r.Op}
	if r.ID.Set {
		m["id"] = r.ID.N
	}
	for _, f := range operations[r.Op] {
		if f.number != nil {
			m[f.name] = *f.number(&r)
		} else {
			m[f.name] = *f.text(&r)
		}
	}
	line, err := json.Marshal(m)
	require.NoError(t, err)
	return line
}

func TestAppendEventOrdersMembers(t *testing.T) {
	for _, c := range []struct {
		id   ID
		e    Event
		want string
	}{
		{ID{}, Pong{}, `{"ev":"pong","tick":12}`},
		{ID{N: 0, Set: true}, Pong{}, `{"ev":"pong","tick":12,"id":0}`},
		{ID{N: 7, Set: true}, Timer{Tag: "<b>\n\"é", LateMS: 3}, `{"ev":"timer","tick":12,"id":7,"tag":"<b>\n\"é","late_ms":3}`},
		{ID{}, Bye{Reason: ReasonLogout, Cancelled: 2, Saved: true}, `{"ev":"bye","tick":12,"reason":"logout","cancelled":2,"saved":true}`},
		{ID{}, Failed(Errorf(CodeBusy, "later")), `{"ev":"error","tick":12,"code":"busy","message":"later"}`},
	} {
		assert.Equal(t, "x"+c.want+"\n", string(AppendEvent([]byte("x"), 12, c.id, c.e)))
	}
}

func TestParseEvent(t *testing.T) {
	for _, e := range Events() {
		l, err := ParseEvent(AppendEvent(nil, 5, ID{N: 3, Set: true}, e))
		require.NoError(t, err)
		assert.Equal(t, e.Ev(), l.Ev)
		assert.EqualValues(t, 5, l.Tick)
		assert.EqualValues(t, 3, *l.ID)
	}
	_, err := ParseEvent([]byte(`{"tick":1}`))
	assert.ErrorContains(t, err, "has no ev")
	_, err = ParseEvent([]byte(`SSH-2.0-OpenSSH_9.2`))
	assert.ErrorContains(t, err, "is not an event")
}

// The protocol's page names every operation, field, event and code there is.
func TestDocumentIsComplete(t *testing.T) {
	page, err := os.ReadFile("../../../docs/protocol.md")
	require.NoError(t, err)
	has := func(what, word string) {
		assert.Contains(t, string(page), "`"+word+"`", "docs/protocol.md: %s", what)
	}
	for _, op := range Ops() {
		has("operation", string(op))
		fields, _ := Fields(op)
		for _, f := range fields {
			has("field of "+string(op), f)
		}
	}
	for _, e := range Events() {
		has("event", e.Ev())
		var members map[string]any
		require.NoError(t, json.Unmarshal(AppendEvent(nil, 0, ID{}, e), &members))
		for m := range members {
			has("member of "+e.Ev(), m)
		}
	}
	for _, c := range allCodes {
		has("code", string(c))
	}
}

var allCodes = []Code{CodeLineTooLong, CodeBinary, CodeBadJSON, CodeUnknownOp, CodeUnknownField,
	CodeMissingField, CodeWrongType, CodeOutOfRange, CodeNotLoggedIn, CodeAlreadyLoggedIn, CodeUnknownSkill,
	CodeCooldown, CodeUnknownMonster, CodeMonsterDead, CodeTooManyTimers, CodeBusy, CodeShuttingDown, CodeInternal}
