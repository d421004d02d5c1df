package main

import (
	"cmp"
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store/layout"
)

// columnNames are the columns that a table of documents can have.
var columnNames = []string{
	"id", "type", "status", "priority", "title", "assignee", "project", "parent", "created", "updated", "closed", "boxes",
	"labels", "waits-for", "claim", "path",
}

// usualColumns are those of a table that is not asked for others; blockedColumns those of what waits:
// on a narrow screen what it waits for stays longest.
var (
	usualColumns = []string{
		"id", "status", "priority", "title", "updated", "boxes", "labels", "waits-for", "claim",
	}
	blockedColumns = []string{
		"id", "status", "priority", "title", "waits-for", "updated", "boxes", "labels", "claim",
	}
)

// columnOf is how a column is fitted. On a narrow screen labels go first, then boxes, and ids are cut
// last, since the next command needs them.
func (p *program) columnOf(name string) terminal.Column {
	c := terminal.Column{Title: strings.ToUpper(strings.ReplaceAll(name, "-", " ")), Optional: true}
	l := p.workspaceLayout()
	switch name {
	case "id":
		c.Optional, c.Least = false, 20
	case "title":
		c.Optional, c.Least = false, 32
	case "type", "path":
		c.Optional = false
	case "status":
		c.Optional, c.Colour = false, func(status string) string { return statusColour(l, status) }
	case "priority":
		c.Colour = func(priority string) string { return priorityColour(l, priority) }
	case "labels", "waits-for", "claim":
		c.Least = 12
	}
	return c
}

// cell is the text of a document in a column, with times as at has them.
func cell(r rowJSON, name string, at func(time.Time) string, claimed func(index.RowClaim) string) string {
	switch name {
	case "id":
		return r.ID
	case "type":
		return r.Type
	case "status":
		return r.Status
	case "priority":
		return r.Priority
	case "title":
		return r.Title
	case "assignee":
		return r.Assignee
	case "project":
		return r.Project
	case "parent":
		return r.Parent
	case "created":
		return at(r.Created)
	case "updated":
		return at(r.Updated)
	case "closed":
		return at(r.Closed)
	case "boxes":
		return r.Boxes
	case "labels":
		return strings.Join(r.Labels, ",")
	case "waits-for":
		return strings.Join(r.WaitsFor, ", ")
	case "claim":
		if r.Claim != nil {
			return claimed(*r.Claim)
		}
	case "path":
		return r.Path
	}
	return ""
}

// isoText is a time for scripts, "" for the zero time.
func isoText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// rowsTable makes a table of documents. On a terminal an id that several documents have is marked.
func (p *program) rowsTable(rows []index.Row, out rowOutput) *terminal.Table {
	t, names, s := &terminal.Table{}, out.shown(rows), p.screen()
	for _, name := range names {
		t.Columns = append(t.Columns, p.columnOf(name))
	}
	for _, r := range rows {
		row, cells := p.newRowJSON(r), make([]string, len(names))
		if row.undated && s.Person { // the time of the file is none of the document
			row.Updated = time.Time{}
		}
		if row.SharedID && s.Person {
			row.ID += sharedMark
		}
		for i, name := range names {
			cells[i] = cell(row, name, s.Day, p.claimText)
		}
		t.Add(cells...)
		t.Files = append(t.Files, p.file(r.Path))
	}
	return t
}

// sharedMark stands behind an id that several documents have.
const sharedMark = "*"

// A rowOutput is how a list is printed where it is no JSON. The zero value is a table.
type rowOutput struct {
	columns []string
	usual   []string // where none are asked for; nil for usualColumns
	csv     bool
	text    string // of format, as given
	format  *template.Template
}

// shown are the columns of a table. Where none are asked for, those of boxes, of what
// documents wait for, and of who has claimed them, are left out if no document has any.
func (o rowOutput) shown(rows []index.Row) []string {
	if o.columns != nil {
		return o.columns
	}
	has := map[string]bool{}
	for _, r := range rows {
		has["boxes"] = has["boxes"] || r.Boxes.Total > 0
		has["waits-for"] = has["waits-for"] || len(r.WaitsFor) > 0
		has["claim"] = has["claim"] || r.Claim != nil
	}
	names := usualColumns
	if o.usual != nil {
		names = o.usual
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains([]string{"boxes", "waits-for", "claim"}, name) && !has[name]
	})
}

// outputFlags declares the flags of a rowOutput.
func (p *program) outputFlags(cmd *cobra.Command, o *rowOutput) {
	flags := cmd.Flags()
	p.choices(flags, &o.columns, "columns", "", "these `columns`, in this order", columnNames...)
	flags.BoolVar(&o.csv, "csv", false, "print CSV, with times in UTC")
	flags.StringVar(&o.text, "format", "", "print each document by this Go `template`, such as '{{.ID}} {{.Title}}'")
}

// check refuses flags that exclude each other, and reads the template.
func (o *rowOutput) check(cmd *cobra.Command) error {
	err := cmp.Or(
		exclusive(cmd, "csv", "json", "jq"), exclusive(cmd, "columns", "json", "jq"),
		exclusive(cmd, "format", "csv", "columns", "json", "jq"),
	)
	if err != nil || o.text == "" {
		return err
	}
	o.format, err = template.New("format").Funcs(template.FuncMap{"join": strings.Join}).Parse(o.text)
	if err == nil { // before anything is printed
		err = o.format.Execute(io.Discard, rowJSON{})
	}
	if err != nil {
		return usage(cmd, "invalid --format: "+strings.TrimPrefix(err.Error(), "template: "),
			"fields are .ID .Type .Title .Status .Priority .Labels .Assignee .Project .Created .Updated .Closed .Boxes .Path"+
				" .File .Version; {{join .Labels \",\"}} joins a list")
	}
	return nil
}

// printScripted prints rows as CSV or by a template.
func (p *program) printScripted(rows []index.Row, out rowOutput) error {
	if out.format != nil {
		var text strings.Builder
		for _, r := range rows {
			if err := out.format.Execute(&text, p.newRowJSON(r)); err != nil {
				return err
			}
			text.WriteString("\n")
		}
		_, err := io.WriteString(p.out, terminal.Harmless(text.String()))
		return err
	}
	names := out.columns
	if names == nil {
		names = columnNames
	}
	lines := [][]string{names}
	for _, r := range rows {
		row, cells := p.newRowJSON(r), make([]string, len(names))
		for i, name := range names {
			cells[i] = cell(row, name, isoText, func(c index.RowClaim) string { return claimedText(c, isoText) })
		}
		lines = append(lines, cells)
	}
	return p.printCSV(lines)
}

// printCSV prints lines of cells, the header first.
func (p *program) printCSV(lines [][]string) error {
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return err
	}
	_, err := io.WriteString(p.out, terminal.Harmless(text.String()))
	return err
}

// statusColour returns the SGR code for a status of a layout.
func statusColour(l *layout.Layout, status string) string {
	switch l.CategoryOf(status) {
	case layout.Open:
		return terminal.Green
	case layout.Active:
		return terminal.Yellow
	case layout.Done, layout.Cancelled:
		return terminal.Dim
	}
	return terminal.Plain
}

// priorityColour returns the SGR code for a priority of a layout: the most urgent two of
// four or more stand out, the most urgent one of fewer.
func priorityColour(l *layout.Layout, priority string) string {
	rank, most := l.PriorityRank(priority), len(l.Priorities)
	switch {
	case rank == 0:
		return terminal.Plain
	case rank == most && most >= 4:
		return terminal.Bold + ";" + terminal.Red
	case rank == most && most > 1, rank == most-1 && most >= 4:
		return terminal.Red
	case rank == 1:
		return terminal.Dim
	}
	return terminal.Plain
}

// queryMarks matches the words of a query in a snippet; nil for no query. It matches only
// exact words, while the index ignores accents, too.
func queryMarks(query string) *regexp.Regexp {
	var words []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(query, `"`, " ")) {
		if word == "OR" || strings.HasPrefix(word, "-") {
			continue
		}
		for _, field := range []string{"title:", "label:", "labels:", "description:"} {
			word = strings.TrimPrefix(word, field)
		}
		if word != "" {
			words = append(words, regexp.QuoteMeta(word))
		}
	}
	if len(words) == 0 {
		return nil
	}
	marks, err := regexp.Compile("(?i)" + strings.Join(words, "|"))
	if err != nil {
		return nil // too long for a pattern
	}
	return marks
}
