package protocol

// An Op is what a request asks for.
type Op string

// The operations. docs/protocol.md has the table of their fields and answers.
const (
	OpLogin  Op = "login"
	OpPing   Op = "ping"
	OpCast   Op = "cast"
	OpAttack Op = "attack"
	OpTimer  Op = "timer"
	OpStats  Op = "stats"
	OpStorm  Op = "storm"
	OpLogout Op = "logout"
)

// Limits of request fields, all inclusive.
const (
	MaxName     = 24         // bytes of a player's name
	MaxTag      = 64         // bytes of a timer's tag
	MaxAfterMS  = 86_400_000 // a day
	MaxStorm    = 100_000    // monsters of one storm
	MaxSpreadMS = 600_000    // ten minutes
	MaxMonster  = 100_000    // the highest monster
	MaxID       = 1 << 53    // what a JSON number holds exactly in every language
)

// An ID is the number a client put into a request to find its answer by. The
// zero ID means that it gave none.
type ID struct {
	N   int64 // 0 to MaxID
	Set bool
}

// A Request is one checked request: every field its operation has is present
// and in range, all others are zero.
type Request struct {
	Op       Op
	ID       ID
	Name     string // login
	Skill    string // cast
	Tag      string // timer
	Monster  int64  // attack
	AfterMS  int64  // timer
	Count    int64  // storm
	SpreadMS int64  // storm
}

// A field of an operation: where it goes and what it may be.
type field struct {
	name     string
	text     func(*Request) *string // nil for a number
	number   func(*Request) *int64  // nil for text
	min, max int64                  // a number's range, or a text's length in bytes
	check    func(string) string    // more about a text: "" or what is wanted
}

// operations says which fields each operation has; all are needed. It is never
// changed.
var operations = map[Op][]field{
	OpLogin: {{name: "name", text: func(r *Request) *string { return &r.Name }, min: 1, max: MaxName, check: checkName}},
	OpPing:  {},
	OpCast:  {{name: "skill", text: func(r *Request) *string { return &r.Skill }, min: 1, max: MaxName}},
	OpAttack: {{name: "monster", number: func(r *Request) *int64 { return &r.Monster },
		min: 1, max: MaxMonster}},
	OpTimer: {{name: "after_ms", number: func(r *Request) *int64 { return &r.AfterMS }, max: MaxAfterMS},
		{name: "tag", text: func(r *Request) *string { return &r.Tag }, max: MaxTag}},
	OpStats: {},
	OpStorm: {{name: "count", number: func(r *Request) *int64 { return &r.Count }, min: 1, max: MaxStorm},
		{name: "spread_ms", number: func(r *Request) *int64 { return &r.SpreadMS }, max: MaxSpreadMS}},
	OpLogout: {},
}

// Ops returns the operations in the order of the documentation.
func Ops() []Op {
	return []Op{OpLogin, OpPing, OpCast, OpAttack, OpTimer, OpStats, OpStorm, OpLogout}
}

// Fields returns the names of the fields op has besides "op" and "id", all of
// which it needs, or false if there is no such operation.
func Fields(op Op) ([]string, bool) {
	fields, ok := operations[op]
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names, ok
}

// CheckName returns what is wrong with a player's name as an *Error, or nil. A
// name is 1 to MaxName of a-z, 0-9, '-' and '_': no two names look alike.
func CheckName(name string) *Error {
	f := operations[OpLogin][0]
	return f.checkText(name)
}

func checkName(s string) string {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return "a-z, 0-9, '-' and '_' only"
		}
	}
	return ""
}
