package wagtail

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// deepest is the deepest nesting of related objects that is shown as such: each is
// decoded once more for each object around it.
const deepest = 6

// A objectRef identifies an object of the API.
type objectRef struct {
	id   int
	kind string // its type
	page bool   // it is a page, whatever type it is referred to as
}

func (i apiObject) reference() objectRef {
	page := i.get("html_url") != nil || strings.Contains(textOf(i.get("detail_url")), "/"+kindPages+"/")
	return objectRef{i.ID, i.typeName(), page}
}

// is reports whether two references are to the same object. One to a page may have the
// type that the page's own type is derived from.
func (r objectRef) is(other objectRef) bool {
	return r.id == other.id && (r.kind == other.kind || r.page && other.page)
}

// brief returns a field's value in one line: rich text and StreamField as words,
// related objects as names and fields, anything else as compact JSON; "" for an empty
// value. owner is the object that has the field; references back to it are left out.
func brief(value json.RawMessage, owner objectRef) string { return briefAt(value, owner, 0) }

// briefAt is brief for a value inside that many related objects.
func briefAt(value json.RawMessage, owner objectRef, depth int) string {
	if read, ok := content.ReadField(value); ok {
		return tools.Line(read.Markdown(nil))
	}
	if text := textOf(value); text != "" {
		return tools.Line(text)
	}
	if depth < deepest {
		if i, ok := related(value); ok {
			return i.relation(owner, depth)
		}
		if list := relations(value, owner, depth); list != "" {
			return list
		}
	}
	var texts []string
	if json.Unmarshal(value, &texts) == nil {
		return tools.Line(strings.Join(texts, ", "))
	}
	switch short := compact(value); short {
	case "null", `""`, "[]", "{}":
		return ""
	default:
		return tools.Line(short)
	}
}

// related reads an object that another one refers to. It reports false for any other
// value.
func related(value json.RawMessage) (apiObject, bool) {
	var i apiObject
	err := json.Unmarshal(value, &i)
	return i, err == nil && i.ID > 0 && i.typeName() != ""
}

// relations returns the objects of a list, "" for any other value.
func relations(value json.RawMessage, owner objectRef, depth int) string {
	var values []json.RawMessage
	if json.Unmarshal(value, &values) != nil {
		return ""
	}
	lines := make([]string, 0, len(values))
	for _, value := range values {
		i, ok := related(value)
		if !ok {
			return ""
		}
		lines = append(lines, i.relation(owner, depth+1))
	}
	return strings.Join(lines, "; ")
}

// called are the members that name an object: they need no label.
var called = []string{"title", "name", "first_name", "last_name"}

// relation returns the name and the fields of a related object. Inside a list or another object,
// one that no endpoint has goes without its type and id, unless it has nothing else to show.
func (i apiObject) relation(owner objectRef, depth int) string {
	var head, files, labelled []string
	for _, m := range i.members {
		back, isBack := related(m.value)
		if m.meta && (m.name == "type" || m.name == "detail_url") || isBack && back.reference().is(owner) {
			continue
		}
		switch text := briefAt(m.value, owner, depth+1); {
		case text == "":
		case slices.Contains(called, m.name):
			head = append(head, text)
		case m.name == "download_url":
			files = append(files, text)
		default:
			labelled = append(labelled, tools.Line(m.name)+": "+text)
		}
	}
	if depth == 0 || i.get("detail_url") != nil || len(head)+len(labelled) == 0 {
		head = slices.Insert(head, 0, fmt.Sprintf("%s %d", i.typeName(), i.ID))
	}
	head = append(head, files...)
	fields := strings.Join(labelled, ", ")
	if len(head) > 0 && fields != "" {
		fields = "(" + fields + ")"
	}
	return strings.TrimSpace(strings.Join(head, " ") + " " + fields)
}

// commonMembers are the fields of the pages of every type.
var commonMembers = slices.Concat(placedMembers, []string{"show_in_menus", "seo_title", "search_description"})

// fieldShapes returns the names of an object's fields, except some, each with the kind
// of its value where that is known.
func (i apiObject) fieldShapes(besides []string) []string {
	const most = 80
	var fields []string
	for _, m := range i.members {
		if slices.Contains(besides, m.name) {
			continue
		}
		name := words.Cut(tools.Line(m.name), 60)
		if shape := shapeOf(m.value); shape != "" {
			name += " (" + shape + ")"
		}
		fields = append(fields, name)
	}
	if more := len(fields) - most; more > 0 {
		fields = append(fields[:most], fmt.Sprintf("and %d more", more))
	}
	return fields
}

// shapeOf names the kind of a value that is more than a text or a number, "" for
// these.
func shapeOf(value json.RawMessage) string {
	if _, ok := content.ReadField(value); ok {
		if strings.HasPrefix(strings.TrimSpace(string(value)), "[") {
			return "blocks"
		}
		return "rich text"
	}
	if i, ok := related(value); ok {
		return i.typeName()
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil || list == nil { // null is no list
		return ""
	}
	if len(list) > 0 {
		if i, ok := related(list[0]); ok {
			return "list of " + i.typeName()
		}
	}
	return "list"
}

// detailAddress matches the address of an object, with its endpoint.
var detailAddress = pattern.Lazy(`"detail_url":\s*"[^"]*/([A-Za-z0-9_-]{1,60})/\d+/"`)
