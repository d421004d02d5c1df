package web

import (
	"html/template"
	"strings"
	"unicode"

	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// A documentRow is a document in a list, a board or an overview.
type documentRow struct {
	index.Row
	Finished bool   // it is done with
	Mark     string // the symbol of its status
	Urgency  string // the symbol of its priority
	Who      *person
	More     []string     // labels for which a row has no room
	Name     string       // what forms call it
	Choose   template.URL // begins the address of the values of a field to choose among
}

// StatusWord is the status as people say it.
func (r documentRow) StatusWord() string { return spoken(r.Status) }

// PriorityWord is the priority as people say it.
func (r documentRow) PriorityWord() string { return spoken(r.Priority) }

// A person is who works on a document: the holder of a claim, or else the assignee.
type person struct {
	Name, Initials, Title string
	Agent                 bool
	Stale                 bool // the claim has lapsed
}

// rowsOf shows documents. A text that is long enough to break a page is cut.
func rowsOf(l *layout.Layout, rows []index.Row) []documentRow {
	const mostLabels, shownLabels, mostWaits = 8, 2, 5
	shown := make([]documentRow, len(rows))
	for i, r := range rows {
		r.Labels = r.Labels[:min(len(r.Labels), mostLabels)]
		r.WaitsFor = r.WaitsFor[:min(len(r.WaitsFor), mostWaits)]
		for _, text := range []*string{&r.ID, &r.Title, &r.Status, &r.Priority} {
			*text = words.Cut(*text, maxCell)
		}
		shown[i] = newRow(l, r)
		if labels := r.Labels; len(labels) > shownLabels {
			shown[i].Labels, shown[i].More = labels[:shownLabels], labels[shownLabels:]
		}
	}
	return shown
}

func newRow(l *layout.Layout, r index.Row) documentRow {
	return documentRow{
		Row: r, Finished: l.Finished(r.Status), Mark: statusMark(l, r.Status, len(r.WaitsFor) > 0),
		Urgency: priorityMark(l, r.Priority), Who: personOf(r), Name: formName(r), Choose: chooseLink(formName(r)),
	}
}

// statusMark is the symbol of a status.
func statusMark(l *layout.Layout, status string, waits bool) string {
	switch c := l.CategoryOf(status); {
	case c == layout.Done || c == layout.Cancelled:
		return "s-" + string(c)
	case waits:
		return "s-blocked"
	case c == layout.Active && strings.Contains(strings.ToLower(status), "review"):
		return "s-review"
	case c == layout.Active:
		return "s-progress"
	}
	return "s-open"
}

// priorityMark is the symbol of a priority: the usual one is medium, whatever the workspace calls it.
func priorityMark(l *layout.Layout, priority string) string {
	rank, usual := l.PriorityRank(priority), l.PriorityRank(l.DefaultPriority())
	switch {
	case rank == 0 || rank == usual:
		return "p-medium"
	case rank < usual:
		return "p-low"
	case rank == len(l.Priorities) && rank > usual+1:
		return "p-critical"
	}
	return "p-high"
}

// personOf is who works on a document, nil for nobody.
func personOf(r index.Row) *person {
	switch {
	case r.Claim != nil:
		p := newPerson(r.Claim.Holder)
		p.Stale = r.Claim.Stale
		if p.Title = "claimed by " + p.Name; p.Stale {
			p.Title = "lapsed claim of " + p.Name
		}
		return p
	case r.Assignee != "":
		return newPerson(r.Assignee)
	}
	return nil
}

// newPerson shows a name. An agent's is that of its program and of its session.
func newPerson(name string) *person {
	name = words.Cut(words.OneLine(name), maxCell)
	p := &person{Name: name, Title: name, Agent: strings.Contains(name, "/")}
	parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	switch {
	case len(parts) == 0:
		return p
	case len(parts) == 1:
		parts = strings.Split(parts[0], "")
	case p.Agent: // the session tells agents of one program apart
		parts[1] = parts[len(parts)-1]
	}
	for _, part := range parts[:min(len(parts), 2)] {
		p.Initials += strings.ToUpper(string([]rune(part)[:1]))
	}
	return p
}

// spoken is a status, a priority or a type as people say it.
func spoken(word string) string {
	text := []rune(strings.NewReplacer("_", " ", "-", " ").Replace(word))
	if len(text) > 0 {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text)
}
