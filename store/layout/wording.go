package layout

import (
	"slices"

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
	// Statuses are those of the categories in the order of work, and within a category in
	// their own order. One at least is open, one active and one done.
	Statuses   []Status `json:"statuses"`
	Priorities []string `json:"priorities"` // the least urgent first; one at least
	// OwnStatuses says that the workspace's file has the statuses, even if they are the usual
	// ones.
	OwnStatuses bool `json:"ownStatuses,omitempty"`
}

// defaultWording is that of a workspace that configures none.
var defaultWording = Wording{
	Statuses:   []Status{{"open", Open}, {"in_progress", Active}, {"closed", Done}, {"cancelled", Cancelled}},
	Priorities: []string{"low", "medium", "high", "critical"},
}

// StatusNames lists the statuses.
func (w *Wording) StatusNames() []string { return w.Of(categories...) }

// Of lists the statuses of these categories.
func (w *Wording) Of(wanted ...Category) []string {
	var names []string
	for _, s := range w.Statuses {
		if slices.Contains(wanted, s.Category) {
			names = append(names, s.Name)
		}
	}
	return names
}

// StatusRank is the place of a status among all; unknown ones come after.
func (w *Wording) StatusRank(status string) int {
	for i, s := range w.Statuses {
		if s.Name == status {
			return i
		}
	}
	return len(w.Statuses)
}

// PriorityRank is higher for what is more urgent, from 1; it is 0 for unknown priorities.
func (w *Wording) PriorityRank(priority string) int { return slices.Index(w.Priorities, priority) + 1 }

// First is the first status of a category, "" when it has none.
func (w *Wording) First(c Category) string { return append(w.Of(c), "")[0] }

// CategoryOf is the category of a status. "" is that of a document without a status, which
// counts as the first open one.
func (w *Wording) CategoryOf(status string) Category {
	if status == "" {
		return Open
	}
	if i := w.StatusRank(status); i < len(w.Statuses) {
		return w.Statuses[i].Category
	}
	return Unknown
}

// Finished reports whether a document of this status is done with.
func (w *Wording) Finished(status string) bool { return w.CategoryOf(status).Finished() }

// DefaultStatus is the status of new documents, and of a document that names none.
func (w *Wording) DefaultStatus() string { return w.First(Open) }

// DefaultPriority is the priority of new documents, and of a document that names none:
// medium, else the middle one.
func (w *Wording) DefaultPriority() string {
	if own, ok := words.Respell("medium", w.Priorities); ok {
		return own
	}
	return w.Priorities[(len(w.Priorities)-1)/2]
}

// StatusValues are the statuses as they are typed: a usual status that the workspace does not
// have stands for the first of its category.
func (w *Wording) StatusValues() words.ValueSet {
	v := words.Only(w.StatusNames()...)
	for _, usual := range defaultWording.Statuses {
		if own := w.First(usual.Category); own != "" && !slices.Contains(v.Allowed, usual.Name) {
			if v.Instead == nil {
				v.Instead = map[string]string{}
			}
			v.Instead[usual.Name] = own
		}
	}
	return v
}

// PriorityValues are the priorities as they are typed.
func (w *Wording) PriorityValues() words.ValueSet { return words.Only(w.Priorities...) }

// Join adds the statuses and priorities that another wording has besides: statuses behind the
// others of their category, priorities behind all. A status that both have keeps its category.
func (w *Wording) Join(other *Wording) {
	for _, s := range other.Statuses {
		if w.StatusRank(s.Name) == len(w.Statuses) {
			w.Statuses = append(w.Statuses, s)
		}
	}
	slices.SortStableFunc(w.Statuses, byCategory)
	for _, p := range other.Priorities {
		if w.PriorityRank(p) == 0 {
			w.Priorities = append(w.Priorities, p)
		}
	}
}

// byCategory puts statuses in the order of work.
func byCategory(a, b Status) int {
	return slices.Index(categories, a.Category) - slices.Index(categories, b.Category)
}
