package tools

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
)

// clientRequests are the requests that clients have been sent and not answered yet. Their ids
// cannot be guessed, so that an answer needs no session to find its request.
type clientRequests struct {
	mu      sync.Mutex
	waiting map[string]chan json.RawMessage // by the id; a nil result refuses
}

func (c *clientRequests) add() (id string, result <-chan json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id = rand.Text()
	room := make(chan json.RawMessage, 1)
	if c.waiting == nil {
		c.waiting = make(map[string]chan json.RawMessage)
	}
	c.waiting[id] = room
	return id, room
}

// take returns where the answer to a request goes, nil for none that waits for one.
func (c *clientRequests) take(id string) chan<- json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := c.waiting[id]
	delete(c.waiting, id)
	return room
}

// TakeAnswer takes a client's answer to a request of [Base.Ask], a nil result for one that
// refuses. It returns false for an answer to anything else.
func (s *Server) TakeAnswer(id, result json.RawMessage) bool {
	var text string
	if json.Unmarshal(id, &text) != nil {
		return false
	}
	room := s.asked.take(text)
	if room != nil {
		room <- result // there is room for one, and no other comes
	}
	return room != nil
}

var errNotOverHTTP = errors.New("there is no answer over HTTP to ask in")

// Ask sends the client a request in the answer to its own, over HTTP up to 2025-11-25, and
// returns the result. mcp-go sends some requests on a stream of its own alone.
func (b Base) Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answer := answerOf(ctx)
	if answer == nil {
		return nil, errNotOverHTTP
	}
	ctx, cancel := context.WithTimeout(ctx, b.server.timeout)
	defer cancel()
	id, result := b.server.asked.add()
	defer b.server.asked.take(id)
	answer.send(map[string]any{"id": id, "method": method, "params": params})
	select {
	case r := <-result:
		if r == nil {
			return nil, errNoAnswer
		}
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
