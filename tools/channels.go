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

// A measured answer knows what each of its channels costs.
type measured struct {
	channels
	textSize, objectSize guard.Size
}

func (c channels) measure() measured {
	return measured{c, guard.Measure(c.text), guard.Measure(string(c.object))}
}

// fit is channels.fit, of what is measured already.
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
