package wagtail

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"issues-index/store/orderedjson"
	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// An apiObject is an object of the API, with its members in the API's order. Those of
// its meta come first.
type apiObject struct {
	ID      int
	members []objectField
}

// An objectField is a member of an object.
type objectField struct {
	name  string
	value json.RawMessage
	meta  bool
}

// UnmarshalJSON reads an object.
func (i *apiObject) UnmarshalJSON(data []byte) error {
	object, err := orderedjson.Parse(data)
	if err != nil {
		return err
	}
	var meta orderedjson.Object
	for _, m := range object {
		switch m.Name {
		case "meta":
			meta, err = orderedjson.Parse(m.Value)
		case "id":
			err = json.Unmarshal(m.Value, &i.ID)
		default:
			i.members = append(i.members, objectField{m.Name, m.Value, false})
		}
		if err != nil {
			return err
		}
	}
	first := make([]objectField, len(meta))
	for n, m := range meta {
		first[n] = objectField{m.Name, m.Value, true}
	}
	i.members = append(first, i.members...)
	return nil
}

// get returns the value of a member, nil when there is none.
func (i apiObject) get(name string) json.RawMessage {
	for _, m := range i.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text returns a member that is a string as one line, "" for any other.
func (i apiObject) text(name string) string { return tools.Line(textOf(i.get(name))) }

func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

func (i apiObject) typeName() string { return words.Cut(i.text("type"), 100) }

// address returns the address of a page or a file, nil when it has none.
func (i apiObject) address(base *url.URL) *url.URL {
	if u := i.url("download_url", base); u != nil {
		return u
	}
	return i.url("html_url", base)
}

// untitled is shown for an empty title.
const untitled = "(untitled)"

// title returns the title, cut to what a row has room for.
func (i apiObject) title() string { return cmp.Or(words.Cut(i.text("title"), 120), untitled) }

// titleOf returns the title of an object of a kind: those of other endpoints need not have one.
func (i apiObject) titleOf(kind string) string {
	if _, known := singular[kind]; !known && i.get("title") == nil {
		return ""
	}
	return i.title()
}

// whole returns a member that is a string as one line, with all its blanks, which text
// folds.
func (i apiObject) whole(name string) string {
	parts := strings.Split(textOf(i.get(name)), " ")
	for n, part := range parts {
		parts[n] = tools.Line(part)
	}
	return strings.Join(parts, " ")
}

// tags returns the tags of an image or document, no more than a reader wants.
func (i apiObject) tags() []string {
	const most = 20
	var tags []string
	if json.Unmarshal(i.get("tags"), &tags) != nil {
		return nil
	}
	tags = tags[:min(most, len(tags))]
	for n, tag := range tags {
		tags[n] = words.Cut(tools.Line(tag), 60)
	}
	return tags
}

// url returns a member that is an address, resolved against a base; nil when it is no
// web address.
func (i apiObject) url(name string, base *url.URL) *url.URL {
	return webAddress(textOf(i.get(name)), base)
}

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

// origin returns the scheme and the host of an address.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// compact returns JSON without blanks and without the addresses of the API in it, which
// are of no use to a reader; "" for invalid JSON.
func compact(value json.RawMessage) string {
	out, err := orderedjson.Marshal(value)
	if err != nil {
		return ""
	}
	return detailURL().ReplaceAllLiteralString(string(out), "")
}

// detailURL matches the member detail_url in compact JSON, with a comma beside it. Inside a
// text its quotation marks would be escaped.
var detailURL = pattern.Lazy(`,"detail_url":` + plainValue + `|"detail_url":` + plainValue + `,?`)

const plainValue = `(?:"(?:[^"\\]|\\.)*"|[^"\[\]{},]+)`

// pathOf returns the path of a page's URL as the tools accept it.
func pathOf(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	return tools.Line(u.EscapedPath())
}
