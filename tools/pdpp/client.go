package pdpp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"issues-index/tools/upstream"
)

// maxBody bounds one answer of the RS, in bytes.
const maxBody = 16 << 20

// Options configure a client.
type Options struct {
	ProviderURL string // address of the RS
	CacheRoot   string // folder in which `pdpp connect` keeps the credentials
	UserAgent   string

	// Getenv reads the environment; nil stands for os.Getenv.
	Getenv func(name string) string
	// Now is the clock by which credentials expire; nil stands for time.Now.
	Now func() time.Time
	// Transport and Sleep are passed to package upstream.
	Transport http.RoundTripper
	Sleep     func(ctx context.Context, pause time.Duration) error
}

// A Client asks one RS with the credential that is kept for it at that moment. It is safe
// for concurrent use.
type Client struct {
	http        *upstream.Client
	provider    string // address of the RS, as it is shown
	credentials credentials
}

// New makes a client. Its error is a [*StartError]: there is no address or no usable
// credential, or a credential of the owner is in reach.
func New(o Options) (*Client, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ProviderURL == "" {
		return nil, &StartError{Exit: ExitUsage, Message: "the PDPP resource server has no address",
			Hint: "set PDPP_PROVIDER_URL, or pdpp.providerUrl in the configuration, or leave pdpp out of the toolsets"}
	}
	address, err := url.Parse(o.ProviderURL)
	if err != nil {
		return nil, invalidProvider(errors.Unwrap(err)) // without the address, which may have a password in it
	}
	address = canonical(address)
	client, err := upstream.New(upstream.Options{
		Base: address.String(), UserAgent: o.UserAgent, Transport: o.Transport, Sleep: o.Sleep,
		// A rate limit passes; any other failure would be the same again.
		Policy: upstream.Policy{Retries: 1, Statuses: []int{http.StatusTooManyRequests}, MaxBody: maxBody},
	})
	if err != nil {
		return nil, invalidProvider(err)
	}
	for _, name := range ownerVariables {
		if o.Getenv(name) != "" {
			return nil, &StartError{Exit: ExitPermission,
				Message: name + " is set: the PDPP adapter does not run where a credential of the owner is in reach",
				Hint:    "unset " + name + "; the adapter works with the credential of a grant that pdpp connect keeps"}
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

// An rsResponse is a successful answer of the RS.
type rsResponse struct {
	RequestID *string
	Body      json.RawMessage // an object, or null of what was deleted
}

// json asks for a JSON object.
func (c *Client) json(ctx context.Context, request upstream.Request, authorized bool) (*rsResponse, error) {
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Accept", "application/json")
	got, err := c.do(ctx, request, authorized)
	if err != nil {
		return nil, err
	}
	if !succeeded(got) {
		return nil, c.errorOf(got)
	}
	body := wellFormed(bytes.TrimSpace(got.Body))
	switch empty := len(body) == 0 || string(body) == "null"; {
	case empty && request.Method == http.MethodDelete:
		body = json.RawMessage("null")
	case empty && request.Method != "": // what was to be done is done
		body = json.RawMessage("{}")
	case !bytes.HasPrefix(body, []byte("{")) || !json.Valid(body):
		return nil, notJSON(got)
	}
	return &rsResponse{requestID(got), body}, nil
}

func succeeded(r *upstream.Response) bool { return r.Status >= 200 && r.Status <= 299 }

// do sends a request, once more when the RS was too busy. If the response repeats the
// token, it is taken out.
func (c *Client) do(ctx context.Context, request upstream.Request, authorized bool) (*upstream.Response, error) {
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
	upstream.NewRedactor(token).Redact(response)
	return response, nil
}

// requestID returns the name that the RS gave the request, nil when it gave none.
func requestID(r *upstream.Response) *string {
	id := cmp.Or(r.Header.Get("Request-Id"), r.Header.Get("X-Request-Id"))
	if id == "" {
		return nil
	}
	return &id
}

// An envelope holds an answer of the RS, unchanged, as data.
type envelope struct {
	Data        json.RawMessage `json:"data"`
	ProviderURL string          `json:"provider_url"`
	RequestID   *string         `json:"request_id"`
	Note        string          `json:"note,omitempty"`
}

func (c *Client) envelope(r *rsResponse, notes ...string) envelope {
	return envelope{r.Body, c.provider, r.RequestID, strings.Join(notes, " ")}
}

// address returns the address of an endpoint.
func (c *Client) address(path string) string { return strings.TrimRight(c.provider, "/") + path }

// Exit codes of a process that must not start: those of sysexits.h that the reference
// adapter uses.
const (
	ExitUsage      = 64 // the address is missing or invalid
	ExitPermission = 77 // a credential of the owner is in reach
	ExitConfig     = 78 // there is no usable credential
)

// A StartError is a reason not to serve an RS.
type StartError struct {
	Exit    int // code of the process
	Message string
	Hint    string
}

func (e *StartError) Error() string { return e.Message }

func invalidProvider(err error) *StartError {
	return &StartError{Exit: ExitUsage, Message: "the address of the PDPP resource server is invalid: " + err.Error(),
		Hint: "set PDPP_PROVIDER_URL to an http or https address without user, query or fragment"}
}
