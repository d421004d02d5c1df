package pdpp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"time"

	"issues-index/tools/upstream"
)

// maxBody bounds what is taken of one answer, in bytes.
const maxBody = 16 << 20

// Options are what a client is made of.
type Options struct {
	ProviderURL string // address of the RS
	CacheRoot   string // folder in which `pdpp connect` keeps the credentials
	UserAgent   string

	// Getenv reads the environment; nil is the process's.
	Getenv func(name string) string
	// Now is the clock by which credentials expire; nil is the system's.
	Now func() time.Time
	// Transport and Sleep are those of package upstream.
	Transport http.RoundTripper
	Sleep     func(ctx context.Context, pause time.Duration) error
}

// A Client asks one RS with the credential of the moment. It is safe for concurrent
// use.
type Client struct {
	http        *upstream.Client
	provider    string // address of the RS, as it is shown
	credentials credentials
	rows        rowSizes
}

// New makes a client. Its error is a [*StartError]: there is no address, no
// credential that may be used, or one of the owner's in reach.
func New(o Options) (*Client, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ProviderURL == "" {
		return nil, noProvider()
	}
	address, err := url.Parse(o.ProviderURL)
	if err != nil {
		return nil, invalidProvider(errors.Unwrap(err)) // without the address, which may have a password in it
	}
	address = canonical(address)
	client, err := upstream.New(upstream.Options{
		Base: address.String(), UserAgent: o.UserAgent, Transport: o.Transport, Sleep: o.Sleep,
		// A limit on the rate passes; anything else would not be answered otherwise.
		Policy: upstream.Policy{Retries: 1, Statuses: []int{http.StatusTooManyRequests}, MaxBody: maxBody},
	})
	if err != nil {
		return nil, invalidProvider(err)
	}
	for _, name := range ownerVariables {
		if o.Getenv(name) != "" {
			return nil, ownerVariable(name)
		}
	}
	c := &Client{http: client, provider: address.String(), credentials: credentials{
		address: address, provider: address.String(),
		root: o.CacheRoot, file: credentialFile(address.Host), now: o.Now,
	}}
	if _, err := c.credentials.token(); err != nil {
		return nil, c.credentials.unusableAtStart(err)
	}
	return c, nil
}

// A response is what the RS said, of a status that is a success.
type response struct {
	Status    int
	RequestID string          // "" when it has none
	Body      json.RawMessage // an object, or null of what was deleted
	Header    http.Header
}

// get asks for JSON.
func (c *Client) get(ctx context.Context, path string, query url.Values) (*response, error) {
	return c.json(ctx, upstream.Request{Path: path, Query: query.Encode()}, true)
}

// send asks with another method. A body that is not nil is sent as JSON.
func (c *Client) send(ctx context.Context, method, path string, body any) (*response, error) {
	request := upstream.Request{Method: method, Path: path}
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		request.Body, request.Header = encoded, http.Header{"Content-Type": {"application/json"}}
	}
	return c.json(ctx, request, true)
}

// public asks for what needs no token, without one.
func (c *Client) public(ctx context.Context, path string) (*response, error) {
	return c.json(ctx, upstream.Request{Path: path}, false)
}

// json asks, and takes a JSON object for an answer.
func (c *Client) json(ctx context.Context, request upstream.Request, authorized bool) (*response, error) {
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Accept", "application/json")
	got, err := c.ask(ctx, request, authorized)
	if err != nil {
		return nil, err
	}
	a := &response{Status: got.Status, RequestID: requestID(got), Body: wellFormed(bytes.TrimSpace(got.Body)), Header: got.Header}
	switch empty := len(a.Body) == 0 || string(a.Body) == "null"; {
	case empty && request.Method == http.MethodDelete:
		a.Body = json.RawMessage("null")
	case empty && request.Method != "": // it was to be done, and is
		a.Body = json.RawMessage("{}")
	case !bytes.HasPrefix(a.Body, []byte("{")) || !json.Valid(a.Body):
		return nil, c.notJSON(got)
	}
	return a, nil
}

// ask asks for what has no other answer than a success. Any other is a typed error.
func (c *Client) ask(ctx context.Context, request upstream.Request, authorized bool) (*upstream.Response, error) {
	response, err := c.exchange(ctx, request, authorized)
	if err == nil && (response.Status < 200 || response.Status > 299) {
		return nil, c.refused(response)
	}
	return response, err
}

// exchange asks once, and again when the RS was too busy. The token, should the RS
// repeat it, is not in what is returned.
func (c *Client) exchange(ctx context.Context, request upstream.Request, authorized bool) (*upstream.Response, error) {
	token, err := c.credentials.token()
	switch {
	case authorized && err != nil:
		return nil, err
	case authorized:
		request.Authorization = "Bearer " + token
	}
	response, err := c.http.Do(ctx, request)
	var failed *upstream.Error
	switch {
	case errors.As(err, &failed):
		return nil, c.unreachable(failed)
	case err != nil:
		return nil, err
	}
	veil := upstream.NewRedactor(token)
	veil.Redact(response)
	sent(ctx, veil)
	return response, nil
}

// requestID is the RS's own name of the exchange.
func requestID(r *upstream.Response) string {
	if id := r.Header.Get("Request-Id"); id != "" {
		return id
	}
	return r.Header.Get("X-Request-Id")
}

// An envelope is what every answer of the RS comes in.
type envelope struct {
	Data        json.RawMessage `json:"data"`
	ProviderURL string          `json:"provider_url"`
	RequestID   *string         `json:"request_id"`
	Note        string          `json:"note,omitempty"`
}

// envelope wraps an answer, unchanged.
func (c *Client) envelope(a *response) envelope {
	e := envelope{Data: a.Body, ProviderURL: c.provider}
	if a.RequestID != "" {
		e.RequestID = &a.RequestID
	}
	return e
}
