package clients

import (
	"io"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// Rows of the result. A request of an ordinary reader is recorded in rowRequest
// and in that of its operation; a timer, whose figure is not the time to an answer
// but how late it was, only in its own; all of a slow reader in rowSlow.
const (
	rowRequest = iota
	rowPing
	rowAttack
	rowCast
	rowStats
	rowTimer
	rowLogin
	rowRetried
	rowLogout
	rowSlow
	rowSendLate
	rowCount
)

var rowNames = [rowCount]string{
	"request", "ping", "attack", "cast", "stats", "timer",
	"login", "login_retried", "logout", "slow", "send_late",
}

func rowOf(op protocol.Op) int {
	switch op {
	case protocol.OpPing:
		return rowPing
	case protocol.OpAttack:
		return rowAttack
	case protocol.OpCast:
		return rowCast
	case protocol.OpStats:
		return rowStats
	}
	return rowTimer
}

// Counts are what the fleet did and met with.
type Counts struct {
	Sent       int64 `json:"sent"`       // requests, logins and logouts not counted
	Answered   int64 `json:"answered"`   // by an event or an error
	Errors     int64 `json:"errors"`     // answers that were an error; see Result.Codes
	Unanswered int64 `json:"unanswered"` // the connection was lost, or the end came first
	Unsent     int64 `json:"unsent"`     // due while there was no connection, given up
	Abandoned  int64 `json:"abandoned"`  // owed when the client itself dropped its connection
	Cancelled  int64 `json:"cancelled"`  // timers that ended with their session

	Logins        int64 `json:"logins"`         // welcomed
	Refused       int64 `json:"refused"`        // logins refused that were tried again
	GaveUp        int64 `json:"gave_up"`        // clients whose login was refused for good
	LoginTimeouts int64 `json:"login_timeouts"` // no answer within the timeout
	NotLoggedIn   int64 `json:"not_logged_in"`  // clients still waiting to be let in at the end
	ConnectFailed int64 `json:"connect_failed"` // attempts
	Lost          int64 `json:"lost"`           // sessions that the server or the network ended
	Garbage       int64 `json:"garbage"`        // connections on which something else came than events
	Drops         int64 `json:"drops"`          // connections the client dropped as part of the plan
	LogoutsFailed int64 `json:"logouts_failed"` // no bye within the timeout
}

// meter collects what all clients measure.
type meter struct {
	mu       sync.Mutex
	counts   Counts
	in       int // clients logged in
	codes    map[string]int64
	failures map[string]int64
	second   *histograms // since the last flush

	// The rest belongs to the goroutine that flushes.
	total   *histograms
	spare   *histograms // takes the place of second
	log     *hdr.HistogramLogWriter
	logErr  error
	flushed time.Time
}

type histograms [rowCount]*hdr.Histogram

func newHistograms() *histograms {
	var hs histograms
	for i := range hs {
		hs[i] = hdr.New(finest, longest, 3)
	}
	return &hs
}

// The range of a histogram. What is longer counts as longest.
const (
	finest  = int64(time.Microsecond)
	longest = int64(time.Hour)
)

func newMeter(log io.Writer, start time.Time) *meter {
	m := &meter{
		codes: map[string]int64{}, failures: map[string]int64{}, flushed: start,
		second: newHistograms(), total: newHistograms(), spare: newHistograms(),
	}
	if log != nil {
		m.log = hdr.NewHistogramLogWriter(log)
		base := start.Truncate(time.Second).UnixMilli() // the log has whole seconds for it
		m.log.SetBaseTime(base)
		m.keep(m.log.OutputLogFormatVersion())
		m.keep(m.log.OutputStartTime(base))
		m.keep(m.log.OutputBaseTime(base))
		m.keep(m.log.OutputLegend())
	}
	return m
}

func (m *meter) keep(err error) {
	if m.logErr == nil {
		m.logErr = err
	}
}

// update changes the counts.
func (m *meter) update(f func(c *Counts)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.counts)
}

// present counts clients that are logged in.
func (m *meter) present(by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.in += by
}

// record adds a latency to a row.
func (m *meter) record(row int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(row, d)
}

func (m *meter) add(row int, d time.Duration) {
	// The range is checked here: what remains cannot fail.
	_ = m.second[row].RecordValue(min(max(int64(d), 0), longest))
}

// request adds the latency of a request, answered or given up.
func (m *meter) request(op protocol.Op, slow bool, d time.Duration, f func(c *Counts)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.counts)
	switch {
	case slow:
		m.add(rowSlow, d)
	case op == protocol.OpTimer:
		m.add(rowTimer, d)
	default:
		m.add(rowRequest, d)
		m.add(rowOf(op), d)
	}
}

// maxReasons bounds how many different reasons are told apart: some name ports.
const maxReasons = 20

// failed notes why something did not work.
func (m *meter) failed(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.failures[reason]; !known && len(m.failures) >= maxReasons {
		reason = "others"
	}
	m.failures[reason]++
}

// code notes the code of an answer that was an error.
func (m *meter) code(code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.codes[code]; !known && len(m.codes) >= maxReasons {
		code = "others"
	}
	m.codes[code]++
}

// Live is how a run stands.
type Live struct {
	Elapsed       time.Duration
	LoggedIn      int
	Counts        Counts
	P50, P99, Max time.Duration // of the requests since the last one
	Requests      int64         // recorded since the last one
}

// flush ends a second: its histograms go to the log and into the totals. Clients
// are kept out only while the two sets change places; encoding takes longer.
func (m *meter) flush(start, now time.Time) Live {
	m.mu.Lock()
	m.second, m.spare = m.spare, m.second
	live := Live{Elapsed: now.Sub(start), LoggedIn: m.in, Counts: m.counts}
	m.mu.Unlock()
	h := m.spare[rowRequest]
	live.Requests = h.TotalCount()
	live.P50, live.P99 = time.Duration(h.ValueAtPercentile(50)), time.Duration(h.ValueAtPercentile(99))
	live.Max = time.Duration(h.Max())
	for i, h := range m.spare {
		if h.TotalCount() == 0 {
			continue
		}
		if m.log != nil {
			h.SetTag(rowNames[i])
			h.SetStartTimeMs(m.flushed.UnixMilli())
			h.SetEndTimeMs(now.UnixMilli())
			m.keep(m.log.OutputIntervalHistogram(h))
		}
		m.total[i].Merge(h)
		h.Reset()
	}
	m.flushed = now
	return live
}
