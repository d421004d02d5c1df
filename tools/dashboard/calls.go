package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"issues-index/tools/telemetry"
)

// A ClientCalls is what a client has called lately.
type ClientCalls struct{ telemetry.ClientActivity }

// Add adds the calls of another version of the program.
func (c *ClientCalls) Add(other telemetry.ClientActivity) {
	c.Calls, c.Tokens = c.Calls+other.Calls, c.Tokens+other.Tokens
	for i, n := range other.LastHour {
		c.LastHour[i] += n
	}
}

// Hour is how many calls there were in the last hour.
func (c *ClientCalls) Hour() (n int) {
	for _, calls := range c.LastHour {
		n += calls
	}
	return n
}

// A Bar is a bar of a drawing, which stands on its ground.
type Bar struct {
	X, Y, Width, Height int
	Class               string
}

// Pulse draws the calls of the last hour, 120 wide and 20 high. No call is a line on the ground.
func (c *ClientCalls) Pulse() (bars []Bar) {
	const step, width, ground, high, least, none = 10, 8, 20, 18, 3, 2
	most := slices.Max(c.LastHour[:])
	for i, calls := range c.LastHour {
		b := Bar{X: i * step, Width: width, Height: none, Class: "b"}
		if calls > 0 {
			b.Height, b.Class = max(least, calls*high/most), ""
		}
		b.Y = ground - b.Height
		bars = append(bars, b)
	}
	return bars
}

// Said says the calls of the last hour to those who do not see the drawing.
func (c *ClientCalls) Said() string {
	steps := strings.Trim(fmt.Sprint(c.LastHour), "[]")
	return fmt.Sprintf("%d calls in the last hour; by five minutes %s", c.Hour(), steps)
}
