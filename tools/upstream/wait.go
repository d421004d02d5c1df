package upstream

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// firstPause is what the pauses between attempts begin with; each doubles it.
const firstPause = 250 * time.Millisecond

// waitFor returns the pause before another attempt, and false when the service
// wants a longer one than there is patience for.
func (c *Client) waitFor(response *Response, attempt int) (time.Duration, bool) {
	if response != nil {
		if asked, ok := RetryAfter(response.Header, time.Now()); ok {
			return asked, asked <= c.policy.Patience
		}
	}
	wait := firstPause << min(attempt, 10)
	wait += time.Duration(rand.Int64N(int64(wait)/2 + 1)) // so that several clients do not return together
	return min(wait, c.policy.Patience), true
}

// RetryAfter reads how long a service asks to wait, from seconds or a date.
func RetryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); (err == nil || errors.Is(err, strconv.ErrRange)) && seconds >= 0 {
		return time.Duration(min(seconds, 1<<31)) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now)), true
	}
	return 0, false
}

// pause is Options.Sleep by the clock.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
