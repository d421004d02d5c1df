package layout

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
func (d *decoder) statuses() {
	before := len(d.problems)
	var list []map[string]string
	if !d.decode(&list) || d.tooMany(len(list), maxStatuses) {
		return
	}
	var statuses []Status
	var names []string
	for _, item := range list {
		known(d, item, "name", "category")
		name, category := item["name"], item["category"]
		d.name(name, names)
		d.text("category", category, "open, active, done or cancelled", isCategory)
		names = append(names, name)
		statuses = append(statuses, Status{name, Category(category)})
	}
	slices.SortStableFunc(statuses, byCategory)
	w := &d.layout.Wording
	w.Statuses, w.OwnStatuses = statuses, true
	if len(d.problems) == before && (w.First(Open) == "" || w.First(Active) == "" || w.First(Done) == "") {
		d.invalid()
	}
}

func isCategory(text string) bool { return slices.Contains(categories, Category(text)) }

// priorities reads a list of names.
func (d *decoder) priorities() {
	var names []string
	if !d.decode(&names) || d.tooMany(len(names), maxPriorities) {
		return
	}
	for i, name := range names {
		d.name(name, names[:i])
	}
	d.layout.Priorities = names
}

// name checks the name of a status or priority, which differs from those before it in more than
// its spelling.
func (d *decoder) name(name string, before []string) {
	d.text("name", name, allowedName, func(text string) bool {
		return words.Fold(text) != "" && utf8.RuneCountInString(text) <= maxName && !strings.ContainsAny(text, `,"`)
	})
	for _, other := range before {
		if words.Fold(other) == words.Fold(name) {
			d.problem(name, "%q and %q are spellings of one word", other, name)
		}
	}
}
