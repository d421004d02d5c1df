package wagtail

import (
	"bytes"
	"encoding/json"
	"strings"
)

// compact is JSON without blanks, its members in their order, and without the
// addresses of the API in it, which are of no use to a reader. It is "" for what is
// no JSON.
func compact(value json.RawMessage) string {
	if !json.Valid(value) {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	c := compactor{decoder: decoder}
	for decoder.More() || len(c.open) > 0 {
		token, err := decoder.Token()
		if err != nil {
			return ""
		}
		c.write(token)
	}
	return c.out.String()
}

// A compactor writes the tokens of a JSON value.
type compactor struct {
	decoder *json.Decoder
	out     strings.Builder
	open    []level
}

// A level is an object or a list that is being written.
type level struct {
	object bool
	count  int // of names and values so far
}

func (c *compactor) write(token json.Token) {
	if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
		c.open = c.open[:len(c.open)-1]
		c.out.WriteRune(rune(delim))
		return
	}
	if c.left(token) {
		return
	}
	c.separate()
	if delim, ok := token.(json.Delim); ok {
		c.open = append(c.open, level{object: delim == '{'})
		c.out.WriteRune(rune(delim))
		return
	}
	c.out.WriteString(encoded(token))
}

// left leaves out a member that is an address of the API.
func (c *compactor) left(token json.Token) bool {
	if len(c.open) == 0 || token != "detail_url" {
		return false
	}
	if at := c.open[len(c.open)-1]; !at.object || at.count%2 == 1 {
		return false
	}
	var value json.RawMessage
	return c.decoder.Decode(&value) == nil
}

// separate writes what stands between two tokens.
func (c *compactor) separate() {
	if len(c.open) == 0 {
		return
	}
	at := &c.open[len(c.open)-1]
	switch {
	case at.object && at.count%2 == 1:
		c.out.WriteByte(':')
	case at.count > 0:
		c.out.WriteByte(',')
	}
	at.count++
}
