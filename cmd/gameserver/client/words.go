package client

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// Help is what the word "help" prints.
const Help = `login NAME            log in                      cast SKILL      heal, fury or shield
attack MONSTER        1 to 100000                 timer MS TAG    an event after MS milliseconds
storm COUNT SPREAD_MS kill COUNT monsters         stats, ping     numbers, a sign of life
wait EVENT            until the next EVENT came   logout          end the session
help, quit            this text, leave            {...}           any JSON line, sent as it is
`

// A command is what one typed line asks for. Exactly one of its parts is set.
type command struct {
	send  []byte // a line to send, without line feed
	track bool   // send carries an id that the answer will carry
	later bool   // its answer comes some time: don't hold up the next line
	wait  string // an event to wait for
	help  bool
	quit  bool
}

// parse reads a typed line. nextID is the id for a short word. An empty line is
// a command without any part.
func parse(line string, nextID int64) (command, error) {
	line = strings.TrimSpace(line)
	if line == "" {
		return command{}, nil
	}
	if strings.HasPrefix(line, "{") {
		return raw(line), nil
	}
	word, rest, _ := strings.Cut(line, " ")
	args := strings.Fields(rest)
	switch word {
	case "help", "?":
		return command{help: true}, nil
	case "quit", "exit":
		return command{quit: true}, nil
	case "wait":
		if len(args) != 1 {
			return command{}, fmt.Errorf("wait takes one event, such as: wait timer")
		}
		return command{wait: args[0]}, nil
	}
	op := protocol.Op(word)
	fields, ok := protocol.Fields(op)
	if !ok {
		return command{}, fmt.Errorf("%q is neither a word nor JSON: try help", word)
	}
	if op == protocol.OpTimer && len(args) > len(fields) {
		args = append(args[:1], strings.Join(args[1:], " ")) // a tag may have spaces
	}
	if len(args) != len(fields) {
		return command{}, fmt.Errorf("%s takes %d values (%s), not %d", word, len(fields), strings.Join(fields, ", "), len(args))
	}
	return build(op, nextID, fields, args), nil
}

// build writes the request. Values are judged by the server, so that its answer
// to a wrong one can be seen; the client only tells numbers from text.
func build(op protocol.Op, id int64, fields, args []string) command {
	b := fmt.Appendf(nil, `{"op":"%s","id":%d`, op, id)
	for i, name := range fields {
		b = fmt.Appendf(b, `,"%s":`, name)
		if _, err := strconv.ParseFloat(args[i], 64); err == nil && !isText(name) && json.Valid([]byte(args[i])) {
			b = append(b, args[i]...)
			continue
		}
		s, _ := json.Marshal(args[i]) // a string always can be
		b = append(b, s...)
	}
	return command{send: append(b, '}'), track: true, later: op == protocol.OpTimer}
}

func isText(field string) bool { return field == "name" || field == "skill" || field == "tag" }

// raw is a line that goes out as it is. If it carries an id, its answer can be
// told from others and is awaited like that of a word.
func raw(line string) command {
	c := command{send: []byte(line)}
	_, err := sentID(c.send)
	c.track = err == nil
	var m struct {
		Op protocol.Op `json:"op"`
	}
	c.later = json.Unmarshal(c.send, &m) == nil && m.Op == protocol.OpTimer
	return c
}

// sentID returns the id a line carries, or an error if it carries none.
func sentID(line []byte) (int64, error) {
	var m struct {
		ID *int64 `json:"id"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, err
	}
	if m.ID == nil || *m.ID < 0 || *m.ID > protocol.MaxID {
		return 0, fmt.Errorf("no id")
	}
	return *m.ID, nil
}
