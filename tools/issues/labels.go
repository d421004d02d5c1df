package issues

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/writing"
	"issues-index/store"
	"issues-index/tools"
)

// The operations of tools that read and write one field.
const (
	opList   = "list"
	opGet    = "get"
	opAdd    = "add"
	opSet    = "set"
	opRemove = "remove"
)

// A labelling answers issues_labels: all labels and how many documents have
// each, or those of one document, and what was changed.
type labelling struct {
	IssueID string      `json:"issueId,omitempty"`
	Labels  []nameCount `json:"labels"`
	changed
}

// A changed is what an operation that writes adds to its answer; nothing of it
// stands in the others'.
type changed struct {
	Changes   []string `json:"changes,omitzero"` // there, though empty, when writing
	UpdatedAt string   `json:"updatedAt,omitzero"`
	Path      string   `json:"path,omitzero"`
}

// A nameCount is a label or project and how many documents have it.
type nameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"` // absent for those of one document
}

func labels(ix *index.Index, w *writing.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_labels",
		Description: "List all labels with counts, or one document's; add labels to a document or remove them. " +
			"add and remove write and need issueId and labels.",
		Input: schema(`"operation":{"type":"string","enum":["list","add","remove"]},"issueId":`+anyText+
			`,"labels":`+anyTexts, "operation"),
		Output: schema(`"issueId":`+anyText+`,"labels":`+nameCounts+`,"changes":`+anyTexts, "labels"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := args.RequiredEnum("operation", opList, opAdd, opRemove)
			if operation == opAdd || operation == opRemove {
				return changeLabels(ctx, w, args, operation)
			}
			id := args.String("issueId")
			noteUnused(args, "labels")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if id == "" {
				return allLabels(ctx, ix)
			}
			row, err := subject(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			l := labelling{IssueID: handle(row), Labels: ownNames(row.Labels)}
			text := fmt.Sprintf("Labels of %s: %s", name(l.IssueID), line(orNone(strings.Join(row.Labels, ", "))))
			return tools.Result{Text: text, Structured: l}, nil
		},
	}
}

// changeLabels adds labels that the document does not have, or removes those
// that it has.
func changeLabels(ctx context.Context, w *writing.Writer, args *tools.Args, operation string) (tools.Result, error) {
	id := args.Required("issueId")
	given := writtenLabels(args)
	if len(given) == 0 {
		args.Required("labels")
	}
	if operation == opRemove {
		given = append(given, labelNames(args)...) // a label with a comma, too
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	done, err := w.Update(ctx, id, func(doc *store.Document) (store.Fields, error) {
		after := slices.Clone(doc.Labels)
		if operation == opRemove {
			after = slices.DeleteFunc(after, func(label string) bool { return slices.Contains(given, label) })
		}
		for _, label := range given {
			if operation == opAdd && !slices.Contains(after, label) {
				after = append(after, label)
			}
		}
		if slices.Equal(after, doc.Labels) { // leave the form that they are written in
			return store.Fields{}, nil
		}
		return store.Fields{Labels: &after}, nil
	})
	if err != nil {
		return tools.Result{}, onIssueID(err)
	}
	r := revisionOf(args, done)
	l := labelling{r.ID, ownNames(done.After.Labels), changedBy(r)}
	text := r.text("Updated") + "\nlabels now: " + orNone(line(strings.Join(done.After.Labels, ", ")))
	return tools.Result{Text: text, Structured: l}, nil
}

func changedBy(r revision) changed { return changed{r.Changes, r.UpdatedAt, r.Path} }

// noteUnused says that an argument that only the writing operations take was
// not used.
func noteUnused(args *tools.Args, name string) {
	if args.Has(name) {
		args.Note(name + " was not used: this operation only reads")
	}
}

// ownNames are the labels of one document.
func ownNames(labels []string) []nameCount {
	names := []nameCount{}
	for _, label := range labels {
		names = append(names, nameCount{Name: label})
	}
	return names
}

func allLabels(ctx context.Context, ix *index.Index) (tools.Result, error) {
	counts, _, err := ix.Stats(ctx, "label", index.Filter{})
	if err != nil {
		return tools.Result{}, err
	}
	names := named(counts)
	return tools.Result{Text: namesText("labels", names), Structured: labelling{Labels: names}}, nil
}

// named leaves out the count of the documents that do not set the field.
func named(counts []index.Count) []nameCount {
	names := []nameCount{}
	for _, c := range counts {
		if c.Value != "" {
			names = append(names, nameCount{Name: c.Value, Count: c.Count})
		}
	}
	return names
}

// namesText is a line a name, the count first since names may hold spaces.
func namesText(what string, names []nameCount) string {
	if len(names) == 0 {
		return fmt.Sprintf("No document has %s.", what)
	}
	lines := []string{fmt.Sprintf("%d %s, each with its number of documents:", len(names), what)}
	for _, n := range names {
		lines = append(lines, fmt.Sprintf("%d %s", n.Count, line(n.Name)))
	}
	return strings.Join(lines, "\n")
}
