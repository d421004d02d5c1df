package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"issues-index/index/team/share"
	"issues-index/store/pattern"
)

// Options say how a machine connects to the cluster.
type Options struct {
	URLs        []string
	Credentials string // file with the seed of an NKEY, or a .creds file; "" for none
	CAFile      string // of the servers' authority; "" for the system's
	CertFile    string // of this machine, with KeyFile; "" for none
	KeyFile     string
	Name        string        // under which the servers list the connection
	Timeout     time.Duration // of one request; 0 for 2 s
	Log         *slog.Logger  // nil for none
}

const (
	defaultTimeout = 2 * time.Second
	// pingEvery finds a dead wire within 15 s. The default, two minutes, takes five.
	pingEvery = 5 * time.Second
	// inFlight is how many publications wait for their acknowledgement at most.
	inFlight = 512
)

// A TeamConnection is a team's cluster as one machine reaches it. It implements share.Team.
type TeamConnection struct {
	options Options
	conn    *nats.Conn
	js      jetstream.JetStream
	packer  share.Packer
	calls   share.Packer
	waiting sync.Map // by a pointer to the subject of a request, what ends the wait for its answer

	mu        sync.Mutex
	state     share.ConnectionState
	hasFailed bool // a try to connect since the connection ended
	again     map[chan struct{}]bool
}

var _ share.Team = (*TeamConnection)(nil)

// Connect connects to the cluster. When the cluster is away it returns nevertheless, and goes
// on trying until Close. An error is about the options: a file that cannot be read, an address
// that is none.
func Connect(ctx context.Context, o Options) (*TeamConnection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &TeamConnection{
		options: o, state: share.ConnectionState{Since: time.Now(), Reason: "not connected yet"},
		calls: share.Packer{Most: maxCall}, again: map[chan struct{}]bool{},
	}
	set, err := c.connectOptions()
	if err != nil {
		return nil, err
	}
	if c.conn, err = set.Connect(); err != nil {
		return nil, fmt.Errorf("connect to the team's engine: %w", err)
	}
	c.js, err = jetstream.New(c.conn, jetstream.WithDefaultTimeout(o.Timeout),
		jetstream.WithPublishAsyncMaxPending(inFlight), jetstream.WithPublishAsyncTimeout(o.Timeout))
	if err != nil {
		c.conn.Close()
		return nil, fmt.Errorf("connect to the team's engine: %w", err)
	}
	if c.conn.IsConnected() { // the handler says so a moment later
		c.connected(c.conn)
	}
	return c, nil
}

func (c *TeamConnection) connectOptions() (set nats.Options, err error) {
	o := c.options
	set = nats.GetDefaultOptions()
	set.Servers, set.Name, set.Timeout = o.URLs, o.Name, o.Timeout
	set.PingInterval, set.MaxPingsOut = pingEvery, 2
	set.RetryOnFailedConnect, set.IgnoreAuthErrorAbort, set.MaxReconnect = true, true, -1
	set.ReconnectWait, set.ReconnectJitter, set.ReconnectJitterTLS = time.Second, time.Second/2, time.Second
	set.ReconnectBufSize = -1 // without a buffer nothing that has failed is sent later by itself
	set.ConnectedCB, set.ReconnectedCB = c.connected, c.connected
	set.DisconnectedErrCB = func(_ *nats.Conn, err error) { c.disconnected(err, false) }
	set.ReconnectErrCB = func(_ *nats.Conn, err error) { c.disconnected(err, true) }
	set.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) { c.complained(err) }
	if o.Credentials != "" {
		if err := useCredentials(&set, o.Credentials); err != nil {
			return set, fmt.Errorf("read the credentials for the team's engine: %w", err)
		}
	}
	if o.CAFile != "" {
		err = nats.RootCAs(o.CAFile)(&set)
	}
	if err == nil && o.CertFile != "" {
		err = nats.ClientCert(o.CertFile, o.KeyFile)(&set)
	}
	if err != nil {
		return set, fmt.Errorf("read a certificate for the team's engine: %w", err)
	}
	return set, nil
}

// useCredentials has a user show the servers what is in a file: the seed of an NKEY, whose public key
// the inboxes begin with, or a .creds file.
func useCredentials(set *nats.Options, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.Contains(string(text), "BEGIN NATS USER JWT") {
		return nats.UserCredentials(file)(set)
	}
	option, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		return fmt.Errorf("%s has no seed of an NKEY: %w", file, err)
	}
	err = option(set)
	set.InboxPrefix = InboxPrefix(set.Nkey)
	return err
}

// connected notes that a node was reached, and tells of it unless the engine was there all the
// time: another node than before has answered at once.
func (c *TeamConnection) connected(conn *nats.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, hasFailed := c.state, c.hasFailed
	if before.Connected { // it is known
		return
	}
	c.state = share.ConnectionState{Connected: true, Since: time.Now(), Server: conn.ConnectedServerName()}
	c.hasFailed = false
	c.options.Log.Info("the team's engine is reached", "node", c.state.Server)
	if before.Server != "" && before.Server != c.state.Server && !hasFailed {
		return
	}
	for channel := range c.again {
		select {
		case channel <- struct{}{}:
		default:
		}
	}
}

func (c *TeamConnection) disconnected(err error, hasFailed bool) {
	if err == nil {
		err = errors.New("the connection has ended")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Connected {
		if !c.conn.IsClosed() {
			c.options.Log.Warn("the team's engine is away", "reason", err)
		}
		c.state.Connected, c.state.Since = false, time.Now()
	}
	c.state.Reason, c.hasFailed = err.Error(), c.hasFailed || hasFailed
}

// refusedSubject finds the subject in the words of a server.
var refusedSubject = pattern.Lazy(`(?i)(?:publish|subscription) to "([^"]+)"`)

// complained brings what the servers refuse to the requests that wait for an answer. A server tells the
// connection that a subject is not allowed, and never answers the request itself.
func (c *TeamConnection) complained(err error) {
	if errors.Is(err, nats.ErrAuthorization) {
		c.disconnected(err, false)
	}
	c.options.Log.Debug("the team's engine complains", "reason", err)
	found := refusedSubject().FindStringSubmatch(err.Error())
	if found == nil || !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	c.waiting.Range(func(subject, refuse any) bool {
		asked, isText := subject.(*string)
		cancel, isFunc := refuse.(context.CancelCauseFunc)
		if isText && isFunc && *asked == found[1] {
			cancel(fmt.Errorf("%w: %s", share.ErrForbidden, found[0]))
		}
		return true
	})
}

// watch returns a context that ends when a subject is refused. The function that it returns must
// be called when the wait for an answer has ended.
func (c *TeamConnection) watch(ctx context.Context, subject string) (asked context.Context, done func()) {
	asked, refuse := context.WithCancelCause(ctx)
	c.waiting.Store(&subject, refuse)
	return asked, func() {
		c.waiting.Delete(&subject)
		refuse(nil)
	}
}

// Connection implements share.Team.
func (c *TeamConnection) Connection() share.ConnectionState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Reconnected implements share.Team.
func (c *TeamConnection) Reconnected() (<-chan struct{}, func()) {
	channel := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.again[channel] = true
	return channel, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.again, channel)
	}
}

// Close implements share.Team.
func (c *TeamConnection) Close() error {
	c.conn.Close()
	c.disconnected(errors.New("it was closed"), false)
	return nil
}

// reach fails at once while the cluster is away.
func (c *TeamConnection) reach(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.conn.IsConnected() {
		return nil
	}
	reason := strings.ToLower(c.Connection().Reason)
	if strings.Contains(reason, "authorization violation") || strings.Contains(reason, "authentication") {
		return fmt.Errorf("%w: %s", share.ErrForbidden, reason)
	}
	return fmt.Errorf("%w: %s", share.ErrUnreached, reason)
}

// do runs one request that goes to a subject, for as long as one may last. It fails with the
// errors of package share, or a *jetstream.APIError.
func (c *TeamConnection) do(ctx context.Context, subject string, request func(context.Context) error) error {
	return c.within(ctx, c.options.Timeout, subject, request)
}

func (c *TeamConnection) within(ctx context.Context, timeout time.Duration, subject string,
	request func(context.Context) error,
) error {
	if err := c.reach(ctx); err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	asked, done := c.watch(asked, subject)
	defer done()
	err := request(asked)
	if err == nil {
		return nil
	}
	if cause := context.Cause(asked); errors.Is(cause, share.ErrForbidden) {
		return cause
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return translate(err)
}

// translate has the errors of package share for those of nats.go. What the servers have
// answered stays as it is.
func translate(err error) error {
	var answered *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("the team's engine has no streams yet; an administrator makes them with "+
			"issues-index cluster init: %w", err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%w: %w", share.ErrTooLarge, err)
	case errors.Is(err, share.ErrAway), errors.As(err, &answered) && answered.Code < 500:
		return err
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("%w: the stream has no leader at the moment, or an administrator has not made it", share.ErrAway)
	}
	return fmt.Errorf("%w: %w", share.ErrAway, err)
}

// randomName is a name that cannot be guessed.
func randomName() string { return strings.ToLower(rand.Text()) }
