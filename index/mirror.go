package index

import (
	"slices"
	"strings"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/mirror"
)

// In the index of a mirror, what documents are named by and what links resolve by begins with
// the line that they are in (mirror.Branch.Qualify): ids, their folded forms and numbers, and the
// names of files. Queries then need not know of lines.

// line is the line of a mirror that the row's document is in, zero elsewhere.
func (r *Row) line() mirror.Branch { return mirror.Branch{Workspace: r.Workspace, Name: r.Line} }

// In is the workspace of a document in a mirror, and the line where that is not the line that
// everybody sees, as Within takes it; "" elsewhere.
func (r *Row) In() string { return r.line().String() }

// qualifiedStem is the name of a row's file without its ending, as the column stem has it.
func (r *Row) qualifiedStem() string { return r.line().Qualify(store.Stem(r.Path)) }

// numberOf is idNumber of the id of a document in a line, as the column id_number has it.
func numberOf(in mirror.Branch, id string) string {
	number := idNumber(strings.TrimPrefix(id, in.Qualify("")))
	if number == "" {
		return ""
	}
	return in.Qualify(number)
}

// parentFold is what the parent of a document resolves by, "" for none.
func parentFold(d *store.Document) string {
	if id := store.LinkedID(d.Parent); id != "" {
		return d.FoldLink(id)
	}
	return ""
}

// linkName is the name that the target of a link is compared with, as the column stem has it.
func linkName(d *store.Document, name string) string {
	if _, _, qualified := mirror.CutBranch(name); name == "" || qualified {
		return name
	}
	return d.Branch.Qualify(name)
}

// rankStep is how many ranks there are for the statuses of one category in a mirror: more than
// a layout has statuses.
const rankStep = 100

// statusRank is the place of a document's status among those of its layout. In a mirror, where
// layouts differ, it is by category first, and stays what it is whatever other lines come.
func statusRank(d *store.Document) int {
	own := d.Layout()
	rank := own.StatusRank(d.CountedStatus())
	if d.Branch == (mirror.Branch{}) {
		return rank
	}
	categories := []layout.Category{layout.Open, layout.Active, layout.Done, layout.Cancelled}
	category := slices.Index(categories, own.CategoryOf(d.CountedStatus()))
	if category < 0 {
		category = len(categories)
	}
	return category*rankStep + rank
}
