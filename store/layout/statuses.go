package layout

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
	"issues-index/store/yamlfile"
)

// What a vocabulary may have at most.
const (
	maxStatuses   = 50
	maxPriorities = 20
	maxName       = 40 // characters
)

var (
	allowedStatuses   = fmt.Sprintf("a list of 3 to %d {name, category}, where category is open, active, done or cancelled, and there is one at least that is open, one active and one done", maxStatuses)
	allowedPriorities = fmt.Sprintf("a list of 1 to %d names", maxPriorities)
	allowedName       = fmt.Sprintf("one line of at most %d printable characters, without commas and double quotes", maxName)
)

// statuses reads a list of blocks with a name and a category.
func (r *reader) statuses(node *yaml.Node) {
	list, ok := r.list(node, allowedStatuses, maxStatuses)
	if !ok {
		return
	}
	before := len(r.problems)
	var read []Status
	var names []string
	for _, item := range list {
		s, ok := r.status(item)
		if ok && r.unused(item, s.Name, names) {
			names = append(names, s.Name)
			read = append(read, s)
		}
	}
	if len(r.problems) > before {
		return
	}
	for _, c := range []Category{Open, Active, Done} {
		if !slices.ContainsFunc(read, func(s Status) bool { return s.Category == c }) {
			r.invalid(node, allowedStatuses, "no status is "+string(c))
			return
		}
	}
	slices.SortStableFunc(read, byCategory)
	r.layout.OwnStatuses = true
	r.layout.Statuses = read
}

// status reads one status.
func (r *reader) status(item *yaml.Node) (s Status, ok bool) {
	if !r.plain(item) {
		return s, false
	}
	if item.Kind != yaml.MappingNode {
		r.invalid(item, allowedStatuses, "this is "+yamlfile.Describe(item))
		return s, false
	}
	before := len(r.problems)
	for i := 0; i+1 < len(item.Content); i += 2 {
		key, value := item.Content[i], item.Content[i+1]
		switch {
		case !r.plain(key) || !r.plain(value):
		case key.Value == "name" && s.Name != "", key.Value == "category" && s.Category != "":
			r.problem(key.Line, "%s is there twice in one status", key.Value)
		case key.Value == "name":
			s.Name = r.name(value)
		case key.Value == "category":
			if s.Category = Category(value.Value); value.Kind != yaml.ScalarNode || !slices.Contains(categories, s.Category) {
				r.problem(value.Line, "invalid category %s: must be open, active, done or cancelled", quoted(value))
			}
		default:
			r.problem(key.Line, "a status has no %s: it has name and category", quoted(key))
		}
	}
	if len(r.problems) > before {
		return s, false
	}
	if s.Name == "" || s.Category == "" {
		r.invalid(item, allowedStatuses, "name or category is missing")
		return s, false
	}
	return s, true
}

// priorities reads a list of names.
func (r *reader) priorities(node *yaml.Node) {
	list, ok := r.list(node, allowedPriorities, maxPriorities)
	if !ok {
		return
	}
	before := len(r.problems)
	var names []string
	for _, item := range list {
		if !r.plain(item) {
			continue
		}
		if name := r.name(item); name != "" && r.unused(item, name, names) {
			names = append(names, name)
		}
	}
	if len(r.problems) == before {
		r.layout.Priorities = names
	}
}

// list returns the items of a list that is neither empty nor too long.
func (r *reader) list(node *yaml.Node, allowed string, most int) (items []*yaml.Node, ok bool) {
	switch {
	case node.Kind != yaml.SequenceNode:
		r.invalid(node, allowed, "this is "+yamlfile.Describe(node))
	case len(node.Content) == 0:
		r.invalid(node, allowed, "the list is empty")
	case len(node.Content) > most:
		r.invalid(node, allowed, fmt.Sprintf("there are %d", len(node.Content)))
	default:
		return node.Content, true
	}
	return nil, false
}

// name reads the name of a status or priority, "" with a problem for one that cannot be.
func (r *reader) name(node *yaml.Node) string {
	odd := func(c rune) bool { return !unicode.IsPrint(c) || c == ',' || c == '"' }
	name := node.Value
	if node.Kind != yaml.ScalarNode || yamlfile.IsNull(node) || strings.TrimSpace(name) != name || words.Fold(name) == "" ||
		!utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, odd) {
		r.problem(node.Line, "invalid name %s: must be %s", quoted(node), allowedName)
		return ""
	}
	return name
}

// unused reports whether a name differs from those before it in more than its spelling.
func (r *reader) unused(node *yaml.Node, name string, before []string) bool {
	for _, other := range before {
		if words.Fold(other) == words.Fold(name) {
			r.problem(node.Line, "%q and %q are spellings of one word", other, name)
			return false
		}
	}
	return true
}

// quoted is the text of a scalar for a message, or what else the node is.
func quoted(node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode || yamlfile.IsNull(node) {
		return "(" + yamlfile.Describe(node) + ")"
	}
	return fmt.Sprintf("%q", words.Cut(node.Value, maxName))
}
