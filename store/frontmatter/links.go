package frontmatter

import (
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/store/yamlfile"

	"go.yaml.in/yaml/v3"
)

// A LinkKind says what a link to another document means.
type LinkKind string

// The kinds of links. A document that another one blocks waits for it.
const (
	WaitsFor       LinkKind = "waitsFor"
	Blocks         LinkKind = "blocks" // read, never written
	Parent         LinkKind = "parent"
	RelatesTo      LinkKind = "relatesTo"
	DuplicateOf    LinkKind = "duplicateOf"
	DiscoveredFrom LinkKind = "discoveredFrom"
)

// linkKinds are the keys of links that may be lists, in the spellings of several trackers.
var linkKinds = map[string]LinkKind{
	"dependsOn": WaitsFor, "depends_on": WaitsFor, "dependencies": WaitsFor, "blockedBy": WaitsFor, "blocked_by": WaitsFor,
	"blocks": Blocks, "blocking": Blocks,
	"relatesTo": RelatesTo, "relates_to": RelatesTo,
	"duplicateOf": DuplicateOf, "duplicate_of": DuplicateOf,
	"discoveredFrom": DiscoveredFrom, "discovered_from": DiscoveredFrom,
}

// LinkKindOf returns the kind of the links that a key at the top level holds, "" for a key
// without links.
func LinkKindOf(key string) LinkKind {
	if slices.Contains(parentKeys, key) {
		return Parent
	}
	return linkKinds[key]
}

// LinkKeys are the keys of all links that may be lists, sorted.
func LinkKeys() []string { return slices.Sorted(maps.Keys(linkKinds)) }

// parentKeys are the keys of the parent at the top level.
var parentKeys = []string{"parent", "parentTaskId", "parent_task_id"}

// A LinkList is what one key of links holds.
type LinkList struct {
	Key    string
	Kind   LinkKind
	Values []string // as written, on one line each
	// Partial is set when the key also holds what cannot be an id, which Values lacks.
	Partial bool
}

// A Link leads to another document.
type Link struct {
	Kind        LinkKind
	Destination LinkDestination
}

// AllLinks lists the links of every key and the one to the parent.
func (h *Header) AllLinks() []Link {
	var all []Link
	for _, list := range h.Links {
		for _, value := range list.Values {
			all = append(all, Link{list.Kind, ParseDestination(value)})
		}
	}
	if target := ParseDestination(h.Parent); target.ID != "" {
		all = append(all, Link{Parent, target})
	}
	return all
}

// DependsOn lists what the document waits for, as written, under whatever keys.
func (h *Header) DependsOn() []string {
	var all []string
	for _, list := range h.Links {
		if list.Kind == WaitsFor {
			all = append(all, list.Values...)
		}
	}
	return all
}

// A LinkDestination names a document.
type LinkDestination struct {
	ID string // without the marks of a link, and without the path and ending of a file
	// Name is the name of the file without its ending, if the text can be one; "" if it
	// can only be an id.
	Name string
}

var (
	markdownLink = pattern.Lazy(`^!?\[[^\]]*\]\(<?([^)>]*)>?\)$`)
	numberedID   = pattern.Lazy(`^[A-Za-z]*-?[0-9]+(\.[0-9]+)*$`)
)

// ParseDestination reads an id, the path of a file, a Markdown link to a file, or a wiki link.
func ParseDestination(written string) LinkDestination {
	id, linked := strings.Trim(OneLine(written), "`'\"*"), false
	if m := markdownLink().FindStringSubmatch(id); m != nil {
		id, linked = m[1], true
		if plain, err := url.PathUnescape(id); err == nil {
			id = plain
		}
	} else if strings.HasPrefix(id, "[[") && strings.HasSuffix(id, "]]") {
		id, _, _ = strings.Cut(id[2:len(id)-2], "|")
		linked = true
	}
	if linked { // to a heading, perhaps
		id, _, _ = strings.Cut(id, "#")
	}
	id = strings.TrimSpace(strings.TrimPrefix(id, "#"))
	if strings.Contains(id, ":") { // a web address, or an id of another repository
		return LinkDestination{ID: id}
	}
	slashed := strings.ReplaceAll(id, `\`, "/")
	ending := path.Ext(slashed)
	file := linked || strings.Contains(slashed, "/") || strings.EqualFold(ending, ".md")
	if slashed != "" && file {
		id = path.Base(slashed)
	}
	if strings.EqualFold(ending, ".md") {
		id = id[:len(id)-len(ending)]
	}
	if !file && numberedID().MatchString(id) {
		return LinkDestination{ID: id}
	}
	return LinkDestination{ID: id, Name: id}
}

// links reads a list of ids, one id, or ids with commas between them.
func (p *parser) links(kv pair) LinkList {
	list := LinkList{Key: kv.key, Kind: linkKinds[kv.key]}
	known := len(p.Problems)
	values := p.texts(kv)
	list.Partial = len(p.Problems) > known
	if target(kv.value).Kind == yaml.ScalarNode && len(values) == 1 {
		values = splitLinks(values[0])
	}
	for _, value := range values {
		switch id := ParseDestination(value); {
		case id.ID == "":
			p.problem(ProblemBadValue, kv.line, "%s has %q, which names no document", kv.key, shorten(value))
			list.Partial = true
			continue
		case id.Name != "" && strings.Contains(value, " ") && value == id.ID:
			p.problem(ProblemBadValue, kv.line, "%s has %q, which is no id: write the id of a document", kv.key, shorten(value))
		}
		list.Values = append(list.Values, value)
	}
	return list
}

// unquotedWikiLink reads [[ISS-1]] without quotes, which YAML takes for a list in a list.
func unquotedWikiLink(n *yaml.Node) (text string, ok bool) {
	for range 2 {
		if n = target(n); n.Kind != yaml.SequenceNode || len(n.Content) != 1 {
			return "", false
		}
		n = n.Content[0]
	}
	if n = target(n); n.Kind != yaml.ScalarNode || yamlfile.IsNull(n) {
		return "", false
	}
	return "[[" + OneLine(n.Value) + "]]", true
}

// splitLinks is [words.List] for links: a comma in brackets separates nothing.
func splitLinks(text string) []string {
	var values []string
	depth, start := 0, 0
	for i, r := range text + "," {
		switch r {
		case '[', '(':
			depth++
		case ']', ')':
			depth = max(depth-1, 0)
		case ',':
			if depth > 0 && i < len(text) {
				continue
			}
			values = append(values, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return words.Once(values)
}
