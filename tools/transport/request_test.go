package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/transport"
)

// asking is a handler each of whose requests asks the client as many times as its method
// says, and answers with what came.
func asking(ctx context.Context, conn tools.Conn, m tools.Message) *tools.Response {
	var p struct{ Times int }
	if json.Unmarshal(m.Params, &p) != nil || m.ID == nil {
		return nil
	}
	var answers []<-chan json.RawMessage
	for range p.Times {
		answers = append(answers, conn.Ask(ctx, "ask", nil))
	}
	results := []string{}
	for _, answer := range answers {
		result, ok := <-answer
		results = append(results, fmt.Sprint(string(result), " ", ok))
	}
	return &tools.Response{JSONRPC: "2.0", ID: m.ID, Result: strings.Join(results, ", ")}
}

func ask(id, times int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x","params":{"times":%d}}`, id, times)
}

func response(id, rest string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,` + rest + `}`
}

func TestRequestsToTheClient(t *testing.T) {
	t.Run("an answer reaches the request with its id", func(t *testing.T) {
		c := converse(t, transport.StdioOptions{Handler: asking})
		c.send(ask(1, 2))
		first, second := c.receive(), c.receive()
		if !strings.Contains(first+second, `"id":"server-1"`) || !strings.Contains(first+second, `"id":"server-2"`) {
			t.Fatalf("asked %s and %s", first, second)
		}
		c.send(response(`"server-2"`, `"result":2`), response(`"server-1"`, `"result":1`))
		if got := c.receive(); !strings.Contains(got, `"result":"1 true, 2 true"`) {
			t.Error(got)
		}
	})

	t.Run("a refusal, or a result with an error, is none", func(t *testing.T) {
		c := converse(t, transport.StdioOptions{Handler: asking})
		c.send(ask(1, 2))
		c.receive()
		c.receive()
		c.send(response(`"server-1"`, `"error":{"code":1}`), response(`"server-2"`, `"result":2,"error":{}`))
		if got := c.receive(); !strings.Contains(got, `"result":" false,  false"`) {
			t.Error(got)
		}
	})

	t.Run("answers to nothing are ignored", func(t *testing.T) {
		c := converse(t, transport.StdioOptions{Handler: asking})
		c.send(ask(1, 1))
		c.receive()
		for _, id := range []string{"1", "null", `"server-0"`, `"server-2"`, "[]", `"SERVER-1"`} {
			c.send(response(id, `"result":"wrong"`))
		}
		c.send(`{"jsonrpc":"2.0","result":"wrong"}`, response(`"server-1"`, `"result":"right"`), response(`"server-1"`, `"result":"late"`))
		if got := c.receive(); !strings.Contains(got, `\"right\" true`) {
			t.Error(got)
		}
	})

	t.Run("the oldest of too many requests gets no answer", func(t *testing.T) {
		c := converse(t, transport.StdioOptions{Handler: asking})
		c.send(ask(1, 17))
		for range 17 {
			c.receive()
		}
		for n := range 17 {
			c.send(response(fmt.Sprintf(`"server-%d"`, n+1), `"result":1`))
		}
		if got := c.receive(); !strings.Contains(got, `"result":" false, 1 true`) || strings.Count(got, "true") != 16 {
			t.Error(got)
		}
	})

	t.Run("the end of the input ends them", func(t *testing.T) {
		lines := serve(t, ask(1, 2), transport.StdioOptions{Handler: asking})
		if all := strings.Join(lines, "\n"); len(lines) > 3 || !strings.Contains(all, `"result":" false,  false"`) {
			t.Error(all)
		}
	})

	t.Run("a client that does not read is still read", func(t *testing.T) {
		in, feed := io.Pipe()
		unread, out := io.Pipe()
		done := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			done <- transport.ServeStdio(ctx, in, out, transport.StdioOptions{Handler: asking, Patience: transport.Patience{Cancelled: 1}})
		}()
		for n := range 40 { // each write returns once the last one was taken
			if _, err := io.WriteString(feed, ask(n, 1)+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, transport.ErrBlocked) {
			t.Error(err)
		}
		unread.Close()
	})
}

// A client that skips the notification of its handshake is asked at the first call.
func TestRootsAreAskedForAtTheLatestByACall(t *testing.T) {
	c := converse(t, transport.StdioOptions{Handler: newRooted(t, nobodyWaits)})
	c.send(offersRoots)
	wantID(t, c.receive(), "1")
	c.send(callWhere)
	if got := c.receive(); !strings.Contains(got, `"method":"roots/list"`) {
		t.Fatal(got)
	}
	c.send(response(`"server-1"`, `"result":{"roots":[{"uri":"file:///a"}]}`))
	if got := c.receive(); !strings.Contains(got, `roots: /a"`) {
		t.Error(got)
	}
}
