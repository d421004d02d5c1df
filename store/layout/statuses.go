package layout

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"issues-index/store/words"
)

// What a vocabulary may have at most.
const (
	maxStatuses   = 50
	maxPriorities = 20
	maxName       = 40 // characters
)

var (
	allowedStatuses = fmt.Sprintf("a list of 3 to %d {name, category}, "+
		"where category is open, active, done or cancelled, "+
		"and there is one at least that is open, one active and one done", maxStatuses)
	allowedPriorities = fmt.Sprintf("a list of 1 to %d names", maxPriorities)
	allowedName       = fmt.Sprintf("one line of at most %d printable characters, "+
		"without commas and double quotes", maxName)
)

// statuses reads a list of blocks with a name and a category.
func (d *decoder) statuses(node *yaml.Node) {
	before := len(d.problems)
	var statuses []Status
	var names []string
	for _, item := range d.list(node, allowedStatuses, maxStatuses) {
		var s Status
		members := 0
		d.block(item, allowedStatuses, []string{"name", "category"}, func(member string, value *yaml.Node) {
			if members++; member == "name" {
				s.Name = d.name(value, &names)
			} else {
				s.Category = Category(d.text(value, member, "open, active, done or cancelled", isCategory))
			}
		})
		if members < 2 && len(d.problems) == before {
			d.invalid(item, allowedStatuses, "name or category is missing")
		}
		statuses = append(statuses, s)
	}
	if len(d.problems) > before {
		return
	}
	for _, c := range []Category{Open, Active, Done} {
		if !slices.ContainsFunc(statuses, func(s Status) bool { return s.Category == c }) {
			d.invalid(node, allowedStatuses, "no status is "+string(c))
			return
		}
	}
	slices.SortStableFunc(statuses, byCategory)
	d.layout.Statuses, d.layout.OwnStatuses = statuses, true
}

func isCategory(text string) bool { return slices.Contains(categories, Category(text)) }

// priorities reads a list of names.
func (d *decoder) priorities(node *yaml.Node) {
	d.layout.Priorities = nil
	for _, item := range d.list(node, allowedPriorities, maxPriorities) {
		d.name(item, &d.layout.Priorities)
	}
}

// name reads the name of a status or priority, and adds it to those before it, from which it
// differs in more than its spelling.
func (d *decoder) name(node *yaml.Node, before *[]string) string {
	name := d.text(node, "name", allowedName, func(text string) bool {
		return words.Fold(text) != "" && utf8.RuneCountInString(text) <= maxName && !strings.ContainsAny(text, `,"`)
	})
	for _, other := range *before {
		if name != "" && words.Fold(other) == words.Fold(name) {
			d.problem(node.Line, "%q and %q are spellings of one word", other, name)
		}
	}
	*before = append(*before, name)
	return name
}
