package plot_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tickwheel/tickwheel/sim/plot"
)

func ExampleTickLatency() {
	storm := plot.Run{Name: "nothing"}
	for i := range 3000 { // 150 s of ticks, one of them bad
		t := plot.Sample{At: time.Duration(i) * 50 * time.Millisecond, Latency: 3 * time.Millisecond}
		if i == 1800 {
			t.Latency = time.Second
		}
		storm.Ticks = append(storm.Ticks, t)
	}
	var b bytes.Buffer
	err := plot.TickLatency(context.Background(), &b, plot.SVG, []plot.Run{storm}, plot.Options{
		Title:    "What a respawn storm does to the tick",
		Interval: 50 * time.Millisecond,
		Marks:    []plot.Mark{{At: 90 * time.Second, Label: "100,000 respawn"}},
		Zoom:     plot.Window{From: 88 * time.Second, To: 95 * time.Second},
	})
	fmt.Println(err, bytes.Contains(b.Bytes(), []byte("1,000 ms at 90 s")))
	// Output: <nil> true
}

func ExampleWriteFile() {
	err := plot.WriteFile("no/such/folder/percentiles.png", func(w io.Writer) error {
		return plot.Percentiles(context.Background(), w, plot.PNG, nil, plot.Options{})
	})
	fmt.Println(err != nil)
	// Output: true
}
