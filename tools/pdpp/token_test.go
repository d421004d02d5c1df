package pdpp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"issues-index/store/cachedir"
	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/telemetry"
	"issues-index/tools/toolstest"
)

// failures are what can become of a request. All of them repeat the token that was
// sent, wherever a server can.
func failures() map[string]func(http.ResponseWriter, *http.Request) {
	sent := func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	typed := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.Header().Set("request-id", token)
			w.Header().Set("WWW-Authenticate", "Bearer "+token)
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"type":"t","code":%q,"message":"Bearer %s is refused","param":%q,"next_step":%q,"retry_with":%q,"available_connections":[{"connection_id":%q}]}}`,
				token, token, token, token, token, token)
		}
	}
	all := map[string]func(http.ResponseWriter, *http.Request){
		"a page": func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.Header().Set("Content-Type", token+"/html")
			fmt.Fprintf(w, "<html>Authorization: Bearer %s</html>", token)
		},
		"a success that repeats it": func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.Header().Set("request-id", token)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"name":%q,"stream":"s","connection_id":%q,"subscription_id":%q,"data":{"title":%q}}],"has_more":true,"next_cursor":%q,"meta":{"warnings":[{"code":"c","message":%q}]},"connectors":[{"streams":[{"name":%q}]}],"window":{"text":%q},"event_id":%q,"capabilities":{"client_event_subscriptions":{"supported":true,"event_types":[%q]}}}`,
				token, token, token, token, token, token, token, token, token, token, token)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.Header().Set("Location", "http://127.0.0.1:1/?access_token="+token)
			w.WriteHeader(http.StatusFound)
		},
		"a redirect of its own": func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.Header().Set("Location", "/x?access_token="+token)
			w.WriteHeader(http.StatusFound)
		},
		"a cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"half an answer": func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.Header().Set("Content-Length", "1000")
			fmt.Fprintf(w, `{"error":"%s`, token)
		},
		"an OAuth error": func(w http.ResponseWriter, r *http.Request) {
			token := sent(r)
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":%q,"error_description":"Bearer %s"}`, token, token)
		},
	}
	for _, status := range []int{400, 401, 403, 404, 409, 410, 422, 429, 500, 503} {
		all[fmt.Sprint(status)] = typed(status)
	}
	return all
}

// TestTokenIsNowhere makes every call with every failure, and looks for the token
// in all that comes of it: answers, errors, the log and the account of the calls.
func TestTokenIsNowhere(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	account := filepath.Join(t.TempDir(), "telemetry.db")
	recorder := telemetry.New(telemetry.Options{
		Place: func(context.Context) (*cachedir.Dir, string, error) {
			dir, err := cachedir.Open(filepath.Dir(account), 0o777)
			return dir, filepath.Base(account), err
		},
		Settings: func() telemetry.RecorderSettings {
			return telemetry.RecorderSettings{Enabled: true, MaxAge: time.Hour, MaxSize: 50_000_000, SampleRate: 1}
		},
		Log: log,
	})
	f := open(t)
	fail := (func(http.ResponseWriter, *http.Request))(nil)
	inner := http.DefaultTransport
	f.options.Transport = roundTrip(func(request *http.Request) (*http.Response, error) {
		if fail == nil {
			return inner.RoundTrip(request)
		}
		return answerOf(fail, request)
	})
	client, err := New(f.options)
	if err != nil {
		t.Fatal(err)
	}
	server := toolstest.NewClient(t, tools.Config{Toolsets: []tools.Toolset{Toolset(client)}, Log: log, Record: recorder.Record})

	calls := 0
	try := func(circumstance string) {
		for _, call := range everyCall() {
			calls++
			answer := server.Call(t, call.tool, call.args)
			all, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(all), pdpptest.ClientToken) {
				t.Errorf("%s, %s: the answer has the token: %s", circumstance, call.tool, all)
			}
		}
	}
	for name, failure := range failures() {
		fail = failure
		try(name)
	}
	fail = nil
	try("no failure")
	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: noon})
	try("an expired credential")
	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Kind: "owner"})
	try("an owner's credential")
	f.rs.WriteCredential(t, f.options.CacheRoot, pdpptest.Credential{Token: pdpptest.ClientToken, Expires: noon.Add(time.Minute)})
	f.rs.Stop()
	try("a server that is down")

	if err := recorder.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	recorder.Close()
	if strings.Contains(logged.String(), pdpptest.ClientToken) {
		t.Errorf("the log has the token: %s", &logged)
	}
	files, err := filepath.Glob(account + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no account was written: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{pdpptest.ClientToken, pdpptest.Secret} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s has %s", filepath.Base(file), secret)
			}
		}
	}
	if strings.Contains(logged.String(), pdpptest.Secret) {
		t.Error("the log has the secret of a subscription")
	}
	if calls < 20*18 {
		t.Errorf("%d calls only", calls)
	}
}

// answerOf is what a handler answers, without a connection.
func answerOf(handler func(http.ResponseWriter, *http.Request), request *http.Request) (response *http.Response, err error) {
	w := &answerWriter{header: http.Header{}, status: http.StatusOK}
	defer func() {
		if recover() != nil {
			response, err = nil, io.ErrUnexpectedEOF
		}
	}()
	handler(w, request)
	var body io.Reader = &w.body
	if w.header.Get("Content-Length") != "" {
		body = io.MultiReader(body, failing{})
	}
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(body), Request: request, ProtoMajor: 1, ProtoMinor: 1}, nil
}

type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerWriter) Header() http.Header { return w.header }

func (w *answerWriter) WriteHeader(status int) { w.status = status }

func (w *answerWriter) Write(content []byte) (int, error) { return w.body.Write(content) }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
