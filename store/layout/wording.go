package layout

import (
	"slices"
	"strings"

	"issues-index/store/words"
)

// A Category says what a status means to the program: whether there is work to do, and how
// it ended.
type Category string

// The categories, in the order of work.
const (
	Open      Category = "open"      // not begun
	Active    Category = "active"    // being worked on
	Done      Category = "done"      // ended as it was meant to
	Cancelled Category = "cancelled" // ended without
	// Unknown is the category of a status that the vocabulary does not have.
	Unknown Category = ""
)

// categories are all but Unknown.
var categories = []Category{Open, Active, Done, Cancelled}

// Finished reports whether documents of the category are done with.
func (c Category) Finished() bool { return c == Done || c == Cancelled }

// A Status is one status of a vocabulary.
type Status struct {
	Name     string   `json:"name"`
	Category Category `json:"category"`
}

// A Wording is the vocabulary of a workspace: the words for the status and the
// priority of its documents.
type Wording struct {
	Statuses   []Status // of each category in their order; one at least is open, and one done
	Priorities []string // the least urgent first; one at least
}

// defaultWording is that of a workspace that configures none.
var defaultWording = Wording{
	Statuses:   []Status{{"open", Open}, {"in_progress", Active}, {"closed", Done}, {"cancelled", Cancelled}},
	Priorities: []string{"low", "medium", "high", "critical"},
}

// StatusNames lists the statuses: by category, then in their order.
func (w *Wording) StatusNames() []string { return w.Of(categories...) }

// Of lists the statuses of these categories, those of the first category first.
func (w *Wording) Of(wanted ...Category) []string {
	var names []string
	for _, c := range wanted {
		for _, s := range w.Statuses {
			if s.Category == c {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// First is the first status of a category, "" when it has none.
func (w *Wording) First(c Category) string {
	if names := w.Of(c); len(names) > 0 {
		return names[0]
	}
	return ""
}

// CategoryOf is the category of a status. "" is that of a document without a status, which
// counts as the first open one.
func (w *Wording) CategoryOf(status string) Category {
	if status == "" {
		return Open
	}
	i := slices.IndexFunc(w.Statuses, func(s Status) bool { return s.Name == status })
	if i < 0 {
		return Unknown
	}
	return w.Statuses[i].Category
}

// Finished reports whether a document of this status is done with.
func (w *Wording) Finished(status string) bool { return w.CategoryOf(status).Finished() }

// DefaultStatus is the status of new documents, and the one that a document without any
// counts as.
func (w *Wording) DefaultStatus() string { return w.First(Open) }

// DefaultPriority is the priority of new documents, and the one that a document without any
// counts as: medium, else the middle one.
func (w *Wording) DefaultPriority() string {
	if own, ok := words.Respell("medium", w.Priorities); ok {
		return own
	}
	return w.Priorities[(len(w.Priorities)-1)/2]
}

// statusText is the statuses for people.
func (w *Wording) statusText() string {
	list := make([]string, len(w.Statuses))
	for i, s := range w.Statuses {
		list[i] = s.Name + " (" + string(s.Category) + ")"
	}
	return strings.Join(list, ", ")
}
