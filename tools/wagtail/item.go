package wagtail

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"issues-index/tools"
)

// An item is one object of the API, of a list or by itself, with its members in
// the API's order. Those of its meta come first.
type item struct {
	ID      int
	members []member
}

// A member is one field of an item.
type member struct {
	name  string
	value json.RawMessage
	meta  bool
}

// UnmarshalJSON reads an object.
func (i *item) UnmarshalJSON(data []byte) error {
	outer, err := members(data)
	if err != nil {
		return err
	}
	for _, m := range outer {
		if m.name != "meta" {
			continue
		}
		inner, err := members(m.value)
		if err != nil {
			return err
		}
		for _, m := range inner {
			i.members = append(i.members, member{m.name, m.value, true})
		}
	}
	for _, m := range outer {
		switch m.name {
		case "meta":
		case "id":
			if err := json.Unmarshal(m.value, &i.ID); err != nil {
				return err
			}
		default:
			i.members = append(i.members, m)
		}
	}
	return nil
}

// members reads the fields of a JSON object in their order.
func members(object json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("read an object of the API: it is none")
	}
	var list []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read an object of the API: %w", err)
		}
		m := member{name: name.(string)} //nolint:errcheck,forcetypeassert // the decoder has checked that a name is a string
		if err := decoder.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("read %s of the API: %w", m.name, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// get returns a member, nil when there is none.
func (i item) get(name string) json.RawMessage {
	for _, m := range i.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text returns a member that is a string, as one line, else "".
func (i item) text(name string) string { return tools.Line(textOf(i.get(name))) }

func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

func (i item) typeName() string  { return cut(i.text("type"), 100) }
func (i item) published() string { return day(i.text("first_published_at")) }

// untitled stands for a title that is empty.
const untitled = "(untitled)"

// title is cut where a row would grow too long.
func (i item) title() string { return cmp.Or(cut(i.text("title"), 120), untitled) }

// whole returns a member that is a string as it is, but for what controls how it is
// shown: its blanks are kept.
func (i item) whole(name string) string { return inline(textOf(i.get(name))) }

// inline is text of a stranger in one line with all its blanks, which tools.Line
// folds.
func inline(text string) string {
	words := strings.Split(text, " ")
	for n, word := range words {
		words[n] = tools.Line(word)
	}
	return strings.Join(words, " ")
}

// tags are the labels of an image or document, no more than a reader wants.
func (i item) tags() []string {
	const most = 20
	var tags []string
	if json.Unmarshal(i.get("tags"), &tags) != nil {
		return nil
	}
	tags = tags[:min(most, len(tags))]
	for n, tag := range tags {
		tags[n] = cut(tools.Line(tag), 60)
	}
	return tags
}

// url is a member that is an address, resolved against a base; nil when it is none
// that a browser would open.
func (i item) url(name string, base *url.URL) *url.URL { return webAddress(textOf(i.get(name)), base) }

func webAddress(text string, base *url.URL) *url.URL {
	if text == "" {
		return nil
	}
	u, err := base.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	u.User = nil
	return u
}

// origin is what an address has before its path.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// day is the date of a date-time.
func day(stamp string) string {
	date, _, _ := strings.Cut(stamp, "T")
	return date
}

// cut is text in at most so many characters, the last one … when some are missing.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
}
