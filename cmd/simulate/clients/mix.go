package clients

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// mixed are the operations a mix may name, in the order of the table.
var mixed = [...]protocol.Op{protocol.OpPing, protocol.OpAttack, protocol.OpCast, protocol.OpTimer, protocol.OpStats}

// Mix says how often each operation is asked for, relative to the others.
type Mix struct {
	weights [len(mixed)]int
	total   int
}

// maxWeight bounds a weight so that sums stay far from overflow.
const maxWeight = 1_000_000

func mixNames() string {
	var names []string
	for _, op := range mixed {
		names = append(names, string(op))
	}
	return strings.Join(names, ", ")
}

// ParseMix reads a mix such as "ping=3,attack=1": three pings for each attack.
// What is not named is not sent.
func ParseMix(s string) (Mix, error) {
	var m Mix
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, ",") {
		name, weight, ok := strings.Cut(strings.TrimSpace(part), "=")
		i := slices.Index(mixed[:], protocol.Op(name))
		if !ok || i < 0 {
			return Mix{}, fmt.Errorf("clients: mix %q: %q: want name=weight, the name one of %s", s, part, mixNames())
		}
		if seen[name] {
			return Mix{}, fmt.Errorf("clients: mix %q: %s stands twice", s, name)
		}
		seen[name] = true
		n, err := strconv.Atoi(weight)
		if err != nil || n < 0 || n > maxWeight {
			return Mix{}, fmt.Errorf("clients: mix %q: weight %q of %s: want 0 to %d", s, weight, name, maxWeight)
		}
		m.weights[i] = n
		m.total += n
	}
	if m.total == 0 {
		return Mix{}, fmt.Errorf("clients: mix %q: all weights are 0", s)
	}
	return m, nil
}

// String is what ParseMix reads.
func (m Mix) String() string {
	var parts []string
	for i, w := range m.weights {
		if w > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", mixed[i], w))
		}
	}
	return strings.Join(parts, ",")
}

// draw picks an operation.
func (m Mix) draw(r *rand.Rand) protocol.Op {
	n := r.IntN(m.total)
	for i, w := range m.weights {
		if n -= w; n < 0 {
			return mixed[i]
		}
	}
	panic("clients: the weights of a mix don't sum up to its total")
}

// skills are those of docs/protocol.md.
var skills = [...]string{"heal", "fury", "shield"}

// monsters is how many different monsters the fleet attacks: all that a server with
// the defaults has. A smaller world answers unknown_monster to the others.
const monsters = protocol.MaxMonster

// maxAfter is the longest timer a client asks for.
const maxAfter = 2 * time.Second

// appendRequest appends a line that asks for op with drawn arguments, and returns
// how long after the request its answer is to come.
func appendRequest(buf []byte, op protocol.Op, id int64, r *rand.Rand) ([]byte, time.Duration) {
	buf = appendHead(buf, op, id)
	var after time.Duration
	switch op {
	case protocol.OpAttack:
		buf = append(buf, `,"monster":`...)
		buf = strconv.AppendInt(buf, 1+r.Int64N(monsters), 10)
	case protocol.OpCast:
		buf = append(buf, `,"skill":"`...)
		buf = append(buf, skills[r.IntN(len(skills))]...)
		buf = append(buf, '"')
	case protocol.OpTimer:
		ms := r.Int64N(int64(maxAfter/time.Millisecond) + 1)
		after = time.Duration(ms) * time.Millisecond
		buf = append(buf, `,"after_ms":`...)
		buf = strconv.AppendInt(buf, ms, 10)
		buf = append(buf, `,"tag":""`...)
	}
	return append(buf, "}\n"...), after
}

func appendHead(buf []byte, op protocol.Op, id int64) []byte {
	buf = append(buf, `{"op":"`...)
	buf = append(buf, op...) // a name of package protocol: nothing to escape
	buf = append(buf, `","id":`...)
	return strconv.AppendInt(buf, id, 10)
}

// appendLogin appends a login. The token is whatever stood in a file.
func appendLogin(buf []byte, id int64, name, token string) []byte {
	buf = appendHead(buf, protocol.OpLogin, id)
	buf = append(buf, `,"name":`...)
	buf = append(buf, quote(name)...)
	if token != "" {
		buf = append(buf, `,"token":`...)
		buf = append(buf, quote(token)...)
	}
	return append(buf, "}\n"...)
}
