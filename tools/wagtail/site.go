package wagtail

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/tools/upstream"
)

// Options say where a site is and how to ask it.
type Options struct {
	BaseURL     string // of the site, http or https
	FrontendURL string // where visitors see its pages; "" is the BaseURL
	APIPath     string // of its API, below the base; "" is /api/v2/
	Key         string // "" for none
	Scheme      string // of the Authorization header; "" is Bearer
	UserAgent   string

	// Transport and Sleep are those of package upstream, nil for its own.
	Transport http.RoundTripper
	Sleep     func(context.Context, time.Duration) error
	// Policy is how patiently the site is asked; what is zero has a default.
	Policy upstream.Policy
	// WalkRequests bounds the requests of a call that goes through many pages; 0 is 60.
	WalkRequests int
}

// A Site is a Wagtail site. It is safe for concurrent use.
type Site struct {
	client *upstream.Client
	base   *url.URL
	// visitors asks for web pages, without the key, at front.
	visitors *upstream.Client
	front    *url.URL
	api      string // path of the API below the base, with a slash at its end
	key      string
	scheme   string

	redactor upstream.Redactor // of the key

	walkRequests int // at most, of one call

	// most is the API's maximum page size, 0 until it is known.
	most atomic.Int64
	// oneFormat is true after the API has refused the parameter for the form of rich
	// text, as it did before Wagtail 8.0.
	oneFormat atomic.Bool

	mu       sync.Mutex
	censuses map[string]census // by query
	targets  map[siteRef]linkTarget
}

// Open returns a site. Nothing is asked of it yet.
func Open(o Options) (*Site, error) {
	p := o.Policy
	p.MaxBody = cmp.Or(p.MaxBody, 8<<20)
	p.Retries = cmp.Or(p.Retries, 2)
	if p.Statuses == nil {
		p.Statuses = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout}
	}
	at := upstream.Options{Base: o.BaseURL, UserAgent: o.UserAgent, Policy: p, Transport: o.Transport, Sleep: o.Sleep}
	client, err := upstream.New(at)
	if err != nil {
		return nil, err
	}
	at.Base = cmp.Or(o.FrontendURL, o.BaseURL)
	visitors, err := upstream.New(at)
	if err != nil {
		return nil, err
	}
	return &Site{
		client: client, base: client.Base(), visitors: visitors, front: visitors.Base(),
		api: "/" + strings.Trim(cmp.Or(o.APIPath, "/api/v2/"), "/") + "/",
		key: o.Key, scheme: cmp.Or(o.Scheme, "Bearer"), redactor: upstream.NewRedactor(o.Key),
		walkRequests: cmp.Or(o.WalkRequests, 60),
		censuses:     map[string]census{}, targets: map[siteRef]linkTarget{},
	}, nil
}

// get asks the API for a path below its own and decodes the answer. Its error is an
// [*siteError], a *tools.Error or the context's.
func (s *Site) get(ctx context.Context, path string, query url.Values, into any) error {
	response, err := s.ask(ctx, path, query)
	if err != nil {
		return err
	}
	if response.Status != http.StatusOK {
		return s.refused(path, response)
	}
	const mark = "\ufeff" // which some servers send before the JSON
	body := bytes.ToValidUTF8(bytes.TrimPrefix(response.Body, []byte(mark)), []byte("\uFFFD"))
	if !isJSON(response.MediaType()) || json.Unmarshal(body, into) != nil {
		return s.unread(path, isJSON(response.MediaType()))
	}
	return nil
}

// ask sends a request to the API, with the key.
func (s *Site) ask(ctx context.Context, path string, query url.Values) (*upstream.Response, error) {
	request := upstream.Request{
		Path: s.api + path, Query: query.Encode(),
		Header: http.Header{"Accept": {"application/json"}},
	}
	if s.key != "" {
		request.Authorization = s.scheme + " " + s.key
	}
	return s.do(ctx, s.client, request)
}

// do sends a request and removes the key from the answer, in case the site repeats it.
func (s *Site) do(ctx context.Context, client *upstream.Client, request upstream.Request) (*upstream.Response, error) {
	response, err := client.Do(ctx, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, s.unanswered(err)
	}
	s.redactor.Redact(response)
	return response, nil
}

// isJSON reports whether a media type is JSON or a kind of it.
func isJSON(media string) bool {
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}
