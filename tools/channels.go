package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/tools/guard"
)

// channels are what of an answer a host may show its model.
type channels struct {
	text   string
	object json.RawMessage // nil when the output mode has none
}

// render writes a result into the channels of the output mode. The note goes
// into both: as the text's last line and as the object's note.
func (s *Server) render(r Result, note string) (channels, error) {
	object, err := s.object(r, note)
	return channels{s.text(r, note), object}, err
}

func (s *Server) text(r Result, note string) string {
	if s.output == OutputStructured {
		first, _, _ := strings.Cut(r.Text, "\n")
		return first
	}
	if note != "" {
		text := r.Mark.End(r.Text)
		return strings.TrimSuffix(text, "\n") + "\nNote: " + note + "."
	}
	return r.Text
}

func (s *Server) object(r Result, note string) (json.RawMessage, error) {
	if s.output == OutputText {
		return nil, nil
	}
	object, err := structured(r.Structured, note)
	if err != nil {
		return nil, fmt.Errorf("write structured content: %w", err)
	}
	return object, nil
}

// fits reports whether a result keeps to a budget in both channels: a host shows
// either. Tools ask it of one form after the other, so the lengths, which cost
// least to know, are looked at first.
func (s *Server) fits(r Result, note string, b guard.Budget) bool {
	if b.Off {
		return true
	}
	text := s.text(r, note)
	if b.TooLong(text) || s.output != OutputText && r.Object > b.Bytes {
		return false
	}
	object, err := s.object(r, note)
	if err != nil {
		return true // there is nothing to make smaller: the answer fails
	}
	return len(object) <= b.Bytes && b.Holds(text) && b.Holds(string(object))
}

// A measured answer knows what each of its channels costs.
type measured struct {
	channels
	textSize, objectSize guard.Size
}

func (c channels) measure() measured {
	return measured{c, guard.Measure(c.text), guard.Measure(string(c.object))}
}

// fit reports whether both channels keep to a budget.
func (m measured) fit(b guard.Budget) bool { return b.Fits(m.textSize) && b.Fits(m.objectSize) }

// size is that of the longer channel.
func (m measured) size() guard.Size {
	if m.objectSize.Bytes > m.textSize.Bytes {
		return m.objectSize
	}
	return m.textSize
}

// larger returns that channel.
func (m measured) larger() string {
	if m.objectSize.Bytes > m.textSize.Bytes {
		return string(m.object)
	}
	return m.text
}
