package issues

import (
	"context"
	"fmt"
	"slices"

	"issues-index/index"
	"issues-index/index/edit"
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

// A labelsAnswer answers issues_labels: all labels and how many documents have
// each, or those of one document, and what was changed.
type labelsAnswer struct {
	IssueID string      `json:"issueId,omitempty"`
	Labels  []nameCount `json:"labels"`
	namesPage
	changed
}

// changed has the members that only the answer of a writing operation has.
type changed struct {
	Changes   []string `json:"changes,omitzero"` // there, though empty, when writing
	UpdatedAt string   `json:"updatedAt,omitzero"`
	Path      string   `json:"path,omitzero"`
}

func labels(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_labels",
		Description: "List all labels (tags) with counts, or one issue's; add labels to an issue or remove them. " +
			"add and remove write and need issueId and labels.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["list","add","remove"]},"issueId":`+anyText+
			`,"labels":`+anyTexts+`,"cursor":`+anyText, "operation"),
		Output: tools.ObjectSchema(`"issueId":`+anyText+`,"labels":`+nameCounts+`,"nextCursor":`+anyText+`,"changes":`+anyTexts, "labels"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := listOr(args, opAdd, opRemove)
			if operation == opAdd || operation == opRemove {
				return changeLabels(ctx, w, args, operation)
			}
			id := args.String("issueId")
			refuseUnused(args, "labels")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if id == "" {
				return allNames(ctx, ix, args, "label", "labels", func(names []nameCount, p namesPage) any {
					return labelsAnswer{Labels: names, namesPage: p}
				})
			}
			row, err := lookUp(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			l := labelsAnswer{IssueID: shortID(handle(row), row.Path), Labels: ownNames(row.Labels...)}
			text := fmt.Sprintf("Labels of %s: %s", name(l.IssueID), joined(l.Labels))
			return tools.Result{Text: text, Structured: l, Items: len(l.Labels), Hint: inFile(row.Path)}, nil
		},
	}
}

// changeLabels adds labels to a document or removes them.
func changeLabels(ctx context.Context, w *edit.Writer, args *tools.Args, operation string) (tools.Result, error) {
	id := args.Required("issueId")
	given := writtenLabels(args)
	if len(given) == 0 {
		args.Missing("labels")
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
	noteBehind(args, done.Behind)
	r := revisionOf(done)
	l := labelsAnswer{IssueID: r.ID, Labels: ownNames(done.After.Labels...), changed: changedBy(r)}
	return tools.Result{Text: r.text("Updated") + "\nlabels now: " + joined(l.Labels), Structured: l, Items: 1, Hint: inFile(done.Path)}, nil
}

// listOr reads the operation: list or one that writes. A cursor without an operation
// means list.
func listOr(args *tools.Args, writing ...string) string {
	if !args.Has("operation") && cursor(args) != "" {
		return opList
	}
	return args.RequiredEnum("operation", append([]string{opList}, writing...)...)
}

func changedBy(r revision) changed { return changed{r.Changes, r.UpdatedAt, r.Path} }

// inFile is the hint of an answer whose document has more than fits.
func inFile(path string) string { return "The file " + pathText(path) + " has all of it." }

// refuseUnused refuses an argument that only the writing operations use, unless it is
// empty.
func refuseUnused(args *tools.Args, name string) {
	if value := string(args.JSON(name)); args.Has(name) && value != `[]` && value != `""` {
		args.Fail(tools.Errorf(tools.CodeValidation, "This operation only reads, and takes no %s.", name).On(name).
			Try("Leave %s out, or pass an operation that writes. issues_list finds documents by labels or project.", name))
	}
}
