package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/tools/answer"
)

// channels are what of an answer a host may show its model.
type channels struct {
	text   string
	object json.RawMessage // nil when the output mode has none
}

// remarks are what the server adds to an answer. A call whose argument was ignored
// did less than it was asked for: that is the first thing to know of its answer, and
// hosts cut the middle and the end.
type remarks struct{ first, last string }

// String is both of them, as the object has them.
func (r remarks) String() string {
	if r.first != "" && r.last != "" {
		return r.first + "; " + r.last
	}
	return r.first + r.last
}

// render writes a result into the channels of the output mode.
func (o Output) render(r Result, said remarks) (channels, error) {
	object, err := o.object(r, said)
	return channels{o.text(r, said), object}, err
}

func (o Output) text(r Result, said remarks) string {
	if o == OutputStructured {
		first, _, _ := strings.Cut(r.Text, "\n")
		return first
	}
	text := r.Text
	if said.first != "" {
		text = "Note: " + said.first + ".\n" + text
	}
	if said.last != "" {
		text = strings.TrimSuffix(r.Mark.End(text), "\n") + "\nNote: " + said.last + "."
	}
	return text
}

func (o Output) object(r Result, said remarks) (json.RawMessage, error) {
	if o == OutputText {
		return nil, nil
	}
	object, err := structured(r.Structured, said.String())
	if err != nil {
		return nil, fmt.Errorf("write structured content: %w", err)
	}
	return object, nil
}

// fits reports whether a result keeps to a budget in both channels: a host shows
// either. Tools ask it of one form after the other, so the lengths, which cost
// least to know, are looked at first.
func (o Output) fits(r Result, said remarks, b answer.Budget) bool {
	if b.Off {
		return true
	}
	text := o.text(r, said)
	if !b.Holds(text) || o != OutputText && r.Object > b.Bytes {
		return false
	}
	object, err := o.object(r, said)
	if err != nil {
		return true // there is nothing to make smaller: the answer fails
	}
	return b.Holds(string(object))
}

// A measured answer knows what each of its channels costs.
type measured struct {
	channels
	textSize, objectSize answer.Size
}

func (c channels) measure() measured {
	return measured{c, answer.Measure(c.text), answer.Measure(string(c.object))}
}

// fit reports whether both channels keep to a budget.
func (m measured) fit(b answer.Budget) bool { return b.Fits(m.textSize) && b.Fits(m.objectSize) }

// size is that of the longer channel.
func (m measured) size() answer.Size {
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
