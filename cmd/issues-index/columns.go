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
	"issues-index/store/words"
)

// A rowColumn is a column that a table of documents can have.
type rowColumn struct {
	name string // of the flag, and of the column in CSV
	terminal.Column
	text  func(rowJSON) string
	table func(p *program, r index.Row) string // for tables; nil for text
}

// rowColumns are the columns of documents. On a narrow screen labels go first, then boxes,
// and ids are cut last, since the next command needs them.
var rowColumns = []rowColumn{
	{name: "id", Column: terminal.Column{Least: 20}, text: func(r rowJSON) string { return r.ID }},
	{name: "type", text: func(r rowJSON) string { return r.Type }},
	{name: "status", text: func(r rowJSON) string { return r.Status }},
	{name: "priority", Column: optional(0), text: func(r rowJSON) string { return r.Priority }},
	{name: "title", Column: terminal.Column{Least: 32}, text: func(r rowJSON) string { return r.Title }},
	{name: "assignee", Column: optional(0), text: func(r rowJSON) string { return r.Assignee }},
	{name: "project", Column: optional(0), text: func(r rowJSON) string { return r.Project }},
	{name: "parent", Column: optional(0), text: func(r rowJSON) string { return r.Parent }},
	{
		name: "created", Column: optional(0), text: func(r rowJSON) string { return isoText(r.Created) },
		table: func(p *program, r index.Row) string { return p.screen().Day(r.Created) },
	},
	{name: "updated", Column: optional(0), text: func(r rowJSON) string { return isoText(r.Updated) }, table: (*program).updatedText},
	{
		name: "closed", Column: optional(0), text: func(r rowJSON) string { return isoText(r.Closed) },
		table: func(p *program, r index.Row) string { return p.screen().Day(r.Closed) },
	},
	{name: "boxes", Column: optional(0), text: func(r rowJSON) string { return r.Boxes }},
	{name: "labels", Column: optional(12), text: func(r rowJSON) string { return strings.Join(r.Labels, ",") }},
	{name: "waits-for", Column: optional(12), text: func(r rowJSON) string { return strings.Join(r.WaitsFor, ", ") }},
	{
		name: "claim", Column: optional(12), text: func(r rowJSON) string { return r.Claim.text() },
		table: func(p *program, r index.Row) string {
			if r.Claim == nil {
				return ""
			}
			return p.claimText(*r.Claim)
		},
	},
	{name: "path", text: func(r rowJSON) string { return r.Path }},
}

// optional is a column that a narrow screen leaves out, of this least width.
func optional(least int) terminal.Column { return terminal.Column{Least: least, Optional: true} }

// usualColumns are those of a table that is not asked for others.
var usualColumns = []string{"id", "status", "priority", "title", "updated", "boxes", "labels", "waits-for", "claim"}

func columnNames() (names []string) {
	for _, c := range rowColumns {
		names = append(names, c.name)
	}
	return names
}

// columnsNamed returns the columns of these names, all of which exist.
func columnsNamed(names []string) (columns []rowColumn) {
	for _, name := range names {
		columns = append(columns, rowColumns[slices.IndexFunc(rowColumns, func(c rowColumn) bool { return c.name == name })])
	}
	return columns
}

// updatedText is the time of the last update in a table. The time of a file is none.
func (p *program) updatedText(r index.Row) string {
	if r.Undated && terminal.Is(p.out) {
		return ""
	}
	return p.screen().Day(r.Updated)
}

// isoText is a time for scripts, "" for the zero time.
func isoText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// rowsTable makes a table of documents.
func (p *program) rowsTable(rows []index.Row, out rowOutput) *terminal.Table {
	names := out.shown(rows)
	columns := columnsNamed(names)
	t := &terminal.Table{}
	l := p.workspaceLayout()
	for _, c := range columns {
		switch c.name {
		case "status":
			c.Colour = func(status string) string { return statusColour(l, status) }
		case "priority":
			c.Colour = func(priority string) string { return priorityColour(l, priority) }
		}
		c.Title = strings.ToUpper(strings.ReplaceAll(c.name, "-", " "))
		t.Columns = append(t.Columns, c.Column)
	}
	for _, r := range rows {
		row := p.newRowJSON(r)
		cells := make([]string, len(columns))
		for i, c := range columns {
			if c.table != nil {
				cells[i] = c.table(p, r)
			} else {
				cells[i] = c.text(row)
			}
		}
		t.Add(cells...)
		t.Files = append(t.Files, p.file(r.Path))
	}
	return t
}

// A rowOutput is how a list is printed where it is no JSON. The zero value is a table.
type rowOutput struct {
	columns []string
	usual   []string // the columns of a table where none are asked for, nil for usualColumns
	csv     bool
	format  *template.Template
}

// shown are the columns of a table. Where none are asked for, those of boxes, of what
// documents wait for, and of who has claimed them, are left out if no document has any.
func (o rowOutput) shown(rows []index.Row) []string {
	if o.columns != nil {
		return o.columns
	}
	names := usualColumns
	if o.usual != nil {
		names = o.usual
	}
	boxed := slices.ContainsFunc(rows, func(r index.Row) bool { return r.Boxes.Total > 0 })
	waiting := slices.ContainsFunc(rows, func(r index.Row) bool { return len(r.WaitsFor) > 0 })
	claimed := slices.ContainsFunc(rows, func(r index.Row) bool { return r.Claim != nil })
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return name == "boxes" && !boxed || name == "waits-for" && !waiting || name == "claim" && !claimed
	})
}

// rowOutputFlags are the flags of a rowOutput.
type rowOutputFlags struct {
	rowOutput
	text string // of the template
}

func (f *rowOutputFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.columns, "columns", nil, "these `columns`, in this order ("+strings.Join(columnNames(), ", ")+")")
	completeFlag(cmd, "columns", completeAmong(columnNames()...))
	flags.BoolVar(&f.csv, "csv", false, "print CSV, with times in UTC")
	flags.StringVar(&f.text, "format", "", "print each document by this Go `template`, such as '{{.ID}} {{.Title}}'")
}

func (f *rowOutputFlags) read(cmd *cobra.Command) (out rowOutput, err error) {
	for i, name := range f.columns {
		if f.columns[i], err = oneOf(cmd, "column", name, words.Only(columnNames()...)); err != nil {
			return out, err
		}
	}
	err = cmp.Or(
		exclusive(cmd, "csv", "json", "jq"), exclusive(cmd, "columns", "json", "jq"),
		exclusive(cmd, "format", "csv", "columns", "json", "jq"),
	)
	if err != nil {
		return out, err
	}
	if f.text == "" {
		return f.rowOutput, nil
	}
	if f.format, err = template.New("format").Funcs(template.FuncMap{"join": strings.Join}).Parse(f.text); err != nil {
		return out, formatError(cmd, err)
	}
	if err := f.format.Execute(new(strings.Builder), rowJSON{}); err != nil { // before anything is printed
		return out, formatError(cmd, err)
	}
	return f.rowOutput, nil
}

// formatError explains a template that cannot be used.
func formatError(cmd *cobra.Command, err error) error {
	f := usage(cmd, "invalid --format: "+strings.TrimPrefix(err.Error(), "template: "))
	f.hint = "fields are .ID .Type .Title .Status .Priority .Labels .Assignee .Project .Created .Updated .Closed .Boxes .Path .File .Version; {{join .Labels \",\"}} joins a list"
	return f
}

// printScripted prints rows as CSV or by a template.
func (p *program) printScripted(rows []index.Row, out rowOutput) error {
	var text strings.Builder
	if out.format != nil {
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
		names = columnNames()
	}
	columns := columnsNamed(names)
	lines := [][]string{names}
	for _, r := range rows {
		row, cells := p.newRowJSON(r), make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.text(row)
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
