// Package upstream asks an HTTP service on behalf of a connector.
//
// It knows nothing about what is asked, about MCP or about the service's own
// errors: an answer of any status is a [Response]; an [Error] says why there is no
// answer. Its invariants:
//
//   - every request ends in bounded time, and no body is read beyond its limit;
//   - a credential is only sent to the base address: redirects are returned, not
//     followed;
//   - no error contains a credential, a query or a path of the request;
//   - a request that is not safe to repeat is sent once.
package upstream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"issues-index/store/words"
)

// A Policy says how long to wait for a service, how often to ask it, and how much
// of an answer to take. The zero value of a field stands for its default.
type Policy struct {
	// Timeout limits one attempt, including its body; default 15 s. After that much
	// time no further attempt begins, so all attempts take at most twice as long, plus
	// their pauses.
	Timeout time.Duration
	MaxBody int64 // bytes of an answer, decompressed; default 16 MiB
	Retries int   // attempts after the first; default none
	// Statuses are those that are worth another attempt. So is a connection that was
	// refused or cut, but not one that timed out.
	Statuses []int
	// Patience is the longest pause before another attempt; default 5 s. When the
	// service asks for a longer one, its answer is returned at once.
	Patience time.Duration
}

// Options are what a client is made of.
type Options struct {
	Base      string // address of the service, http or https; it may have a path
	UserAgent string
	Policy    Policy

	// Transport carries the requests; nil is one of its own with the proxy of the
	// environment.
	Transport http.RoundTripper
	// Sleep waits between attempts; nil is the clock's. It ends early, with the
	// context's error, when that is done.
	Sleep func(ctx context.Context, pause time.Duration) error
}

// A Client asks one service. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	userAgent string
	policy    Policy
	transport http.RoundTripper // which, other than http.Client, follows nothing
	sleep     func(context.Context, time.Duration) error
}

// A Request is one question. The zero Method is GET.
type Request struct {
	Method string
	Path   string // below the base, escaped; its slashes are kept as they are
	Query  string // encoded, without the question mark
	Header http.Header
	Body   []byte

	// Authorization is the value of that header, "" for none.
	Authorization string
}

// A Response is an answer of whatever status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	URL    *url.URL // that was asked
}

// maxHeader is the most bytes of an answer's header that are read. The library's
// own limit is 10 MB, for which a slow service can make a caller wait long.
const maxHeader = 256 << 10

// handshakeTime is how long a service may take to set up TLS. One that expects plain
// HTTP waits for the rest of a request that never comes.
const handshakeTime = 10 * time.Second

// New makes a client. Its error says what is wrong with the base address.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.Base)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the service's address: %w", err)
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, fmt.Errorf("read the service's address: %q does not begin with http:// or https:// and a host",
			base.Redacted())
	case base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, fmt.Errorf("read the service's address: %q has more than a host and a path", base.Redacted())
	}
	p := o.Policy
	p.Timeout = cmp.Or(p.Timeout, 15*time.Second)
	p.MaxBody = cmp.Or(p.MaxBody, 16<<20)
	p.Patience = cmp.Or(p.Patience, 5*time.Second)
	c := &Client{base: base, userAgent: o.UserAgent, policy: p, transport: o.Transport, sleep: o.Sleep}
	if c.sleep == nil {
		c.sleep = pause
	}
	if c.transport == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck,forcetypeassert // net/http's own
		transport.MaxResponseHeaderBytes = maxHeader
		transport.TLSHandshakeTimeout = handshakeTime
		c.transport = transport
	}
	return c, nil
}

// Base is the address that the client asks.
func (c *Client) Base() *url.URL { b := *c.base; return &b }

// Do asks, again where the policy says so. Its error is the context's or an
// [*Error].
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	start := time.Now()
	safe := r.Method == "" || r.Method == http.MethodGet || r.Method == http.MethodHead
	for attempt := 0; ; attempt++ {
		response, err := c.ask(ctx, r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		again := safe && attempt < c.policy.Retries && c.retryable(response, err) && time.Since(start) < c.policy.Timeout
		if !again {
			return response, err
		}
		wait, ok := c.waitFor(response, attempt)
		if !ok {
			return response, err
		}
		if err := c.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// retryable reports whether another attempt may succeed.
func (c *Client) retryable(response *Response, err error) bool {
	if err == nil {
		return slices.Contains(c.policy.Statuses, response.Status)
	}
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Reason.passes()
}

// ask makes one attempt.
func (c *Client) ask(ctx context.Context, r Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.policy.Timeout)
	defer cancel()
	address := c.address(r)
	request, err := http.NewRequestWithContext(ctx, r.Method, address.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, c.failed(Malformed, err)
	}
	for name, values := range r.Header {
		request.Header[name] = slices.Clone(values)
	}
	if c.userAgent != "" {
		request.Header.Set("User-Agent", c.userAgent)
	}
	if r.Authorization != "" {
		request.Header.Set("Authorization", r.Authorization)
	}
	answer, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, c.failed(connecting(err), err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.policy.MaxBody+1))
	if err != nil {
		return nil, c.failed(reading(err), err)
	}
	if int64(len(body)) > c.policy.MaxBody {
		return nil, c.failed(TooLarge, nil)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body, URL: address}, nil
}

// address joins the base and what is asked below it.
func (c *Client) address(r Request) *url.URL {
	joined := *c.base
	raw := strings.TrimRight(c.base.EscapedPath(), "/") + "/" + strings.TrimLeft(r.Path, "/")
	path, err := url.PathUnescape(raw)
	if err != nil {
		path = raw
	}
	joined.Path, joined.RawPath, joined.RawQuery = path, raw, r.Query
	return &joined
}

// Redirect returns where the response sends its reader, and whether that is the
// host and scheme that were asked; nil when it is no redirect, or one to what is no
// web address.
func (r *Response) Redirect() (to *url.URL, own bool) {
	location := r.Header.Get("Location")
	if r.Status < 300 || r.Status > 399 || location == "" {
		return nil, false
	}
	to, err := r.URL.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil, false
	}
	return to, to.Scheme == r.URL.Scheme && strings.EqualFold(to.Host, r.URL.Host)
}

// MediaType is the type of the body, lower case, without its parameters.
func (r *Response) MediaType() string {
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(mediaType))
}

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

// PauseText says how long a service asks to wait, such as "20 hours", rounded up; "" where it does not
// ask for a second or more.
func PauseText(header http.Header, now time.Time) string {
	wait, _ := RetryAfter(header, now)
	if wait > 31*24*time.Hour {
		return "more than a month"
	}
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if wait >= 2*unit.long || unit.long == time.Second && wait >= unit.long {
			return words.Count(int((wait+unit.long-1)/unit.long), unit.name)
		}
	}
	return ""
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
