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
	c := channels{text: r.Text}
	if s.output != OutputText {
		object, err := structured(r.Structured, note)
		if err != nil {
			return channels{}, fmt.Errorf("write structured content: %w", err)
		}
		c.object = object
	}
	if s.output == OutputStructured {
		c.text, _, _ = strings.Cut(c.text, "\n")
	} else if note != "" {
		c.text = strings.TrimSuffix(c.text, "\n") + "\nNote: " + note + "."
	}
	return c, nil
}

// fit reports whether both channels keep to a budget: a host shows either.
func (c channels) fit(b guard.Budget) bool {
	return b.Off || b.Holds(c.text) && b.Holds(string(c.object))
}

// larger returns the channel that costs more.
func (c channels) larger() string {
	if object := string(c.object); guard.Measure(object).Tokens() > guard.Measure(c.text).Tokens() {
		return object
	}
	return c.text
}

// size is what the answer costs a host that shows the larger channel.
func (c channels) size() guard.Size {
	text, object := guard.Measure(c.text), guard.Measure(string(c.object))
	return guard.Size{
		Bytes:  max(text.Bytes, object.Bytes),
		Lines:  max(text.Lines, object.Lines),
		Weight: max(text.Weight, object.Weight),
	}
}
