package issues

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/store"
)

// The forms a document takes in a list.
const (
	formatFull    = "full"
	formatSummary = "summary"
	formatMinimal = "minimal"
)

const (
	// none stands for a value that a document does not set.
	none = index.None
	// usual is the priority that rows leave out, since most documents have it.
	usual = store.DefaultPriority
	// titleLength is the most characters of a title that a row shows.
	titleLength = 120
	// shortTitle is the most of the title of a row whose id is a path, which says
	// much of it.
	shortTitle = 64
)

// A row is one document of a list, in summary or minimal form.
type row struct {
	ID       string   `json:"id"` // the path, when only that names the document
	Title    string   `json:"title"`
	Status   string   `json:"status"`
	Priority string   `json:"priority,omitempty"` // absent when usual
	Labels   []string `json:"labels,omitempty"`
	Updated  string   `json:"updated,omitempty"` // absent in minimal form, and when the page says it once
	Created  string   `json:"created,omitempty"` // absent when the day of the update
	Snippet  string   `json:"snippet,omitempty"`
	Omitted  string   `json:"omitted,omitempty"` // what did not fit
}

func minimalRow(r index.Row) row {
	m := row{ID: handle(r), Title: cut(r.Title, titleLength), Status: r.Status}
	if r.Shared { // the path says much of the title
		m.Title = cut(r.Title, shortTitle)
	}
	return m
}

func summaryRow(r index.Row) row {
	s := minimalRow(r)
	if r.Priority != usual {
		s.Priority = r.Priority
	}
	s.Labels = r.Labels
	s.Updated = day(r.Updated)
	if created := day(r.Created); created != s.Updated {
		s.Created = created
	}
	s.Snippet = r.Snippet
	return s
}

// shortText is a minimal row as one line: id, status, title.
func (r row) shortText() string {
	return name(r.ID) + " " + line(r.Status) + " " + line(r.Title) + r.omitted()
}

func (r row) omitted() string {
	if r.Omitted == "" {
		return ""
	}
	return " (omitted: " + r.Omitted + ")"
}

// text is a summary row as one line: id, status, priority, title, [labels], day
// of the last update. Only a snippet stands on a second line.
func (r row) text() string {
	words := []string{name(r.ID), line(r.Status)}
	if r.Priority != "" {
		words = append(words, line(r.Priority))
	}
	words = append(words, line(r.Title))
	if len(r.Labels) > 0 {
		words = append(words, "["+line(strings.Join(r.Labels, ","))+"]")
	}
	if r.Updated != "" {
		words = append(words, r.Updated)
	}
	text := strings.Join(words, " ") + r.omitted()
	if r.Snippet != "" {
		text += "\n " + line(r.Snippet)
	}
	return text
}

// dropSharedDay leaves out the day of the update that at least half of the rows
// have, and returns it, "" when there is none.
func dropSharedDay(rows []row) string {
	days := make(map[string]int)
	shared := ""
	for _, r := range rows {
		if days[r.Updated]++; days[r.Updated] > days[shared] {
			shared = r.Updated
		}
	}
	if 2*days[shared] < len(rows) {
		return ""
	}
	for i := range rows {
		if rows[i].Updated == shared {
			rows[i].Updated = ""
		}
	}
	return shared
}

// handle is what to pass as the id to get exactly this document.
func handle(r index.Row) string {
	if r.Shared {
		return r.Path
	}
	return r.ID
}

// name is an id as it stands in a sentence: in quotes when it has spaces, so
// that a reader sees where it ends.
func name(id string) string {
	if strings.ContainsFunc(id, unicode.IsSpace) {
		return "'" + line(id) + "'"
	}
	return id
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

// line is s with every run of white space as one space.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut is s in at most limit characters, the last one … when some are missing.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s[:min(len(s), utf8.UTFMax*limit)])
	return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// stamp is t to the millisecond, as our own documents have it, to the second if it
// is a whole one, or its day alone at midnight, which is how hand-written dates come
// out. The zero time is "".
func stamp(t time.Time) string {
	t = t.UTC().Truncate(time.Millisecond)
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return day(t)
	case t.Nanosecond() == 0:
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}
