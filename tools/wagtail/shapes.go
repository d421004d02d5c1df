package wagtail

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

// commonMembers are the fields that the pages of every type have.
var commonMembers = []string{"type", "detail_url", "html_url", "slug", "first_published_at", "locale", "title", "show_in_menus", "seo_title",
	"search_description", "alias_of", "parent"}

// fieldShapes are the fields that an object has besides some, each with what it holds
// where one of its values tells that.
func (i item) fieldShapes(besides []string) []string {
	const most = 80
	var fields []string
	for _, m := range i.members {
		if slices.Contains(besides, m.name) {
			continue
		}
		name := cut(tools.Line(m.name), 60)
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

// shapeOf says what a value is where that is more than a text or a number.
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

var detailAddress = pattern.Lazy(`"detail_url":\s*"[^"]*/([A-Za-z0-9_-]{1,60})/\d+/"`)

// endpointsIn are the endpoints that a value refers to.
func endpointsIn(value json.RawMessage) []string {
	var names []string
	for _, found := range findAll(detailAddress(), value) {
		if !slices.Contains(names, found) {
			names = append(names, found)
		}
	}
	return names
}

func findAll(what *regexp.Regexp, in []byte) []string {
	var all []string
	for _, found := range what.FindAllSubmatch(in, -1) {
		all = append(all, string(found[1]))
	}
	return all
}
