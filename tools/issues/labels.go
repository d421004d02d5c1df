package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
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

// A namesAnswer answers issues_labels or issues_projects: all labels or projects and how
// many documents have each, or those of one document, and what was changed.
type namesAnswer struct {
	IssueID  string      `json:"issueId,omitempty"`
	Labels   []nameCount `json:"labels,omitzero"`   // there, though empty, in issues_labels
	Projects []nameCount `json:"projects,omitzero"` // the same in issues_projects
	namesPage
	changed
}

// changed has the members that only the answer of a writing operation has.
type changed struct {
	Changes   []string `json:"changes,omitzero"` // there, though empty, when writing
	UpdatedAt string   `json:"updatedAt,omitzero"`
	Path      string   `json:"path,omitzero"`
	Version   string   `json:"version,omitzero"`
}

func labels(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_labels",
		Description: "List labels (tags) with counts, or one issue's; add labels to an issue or remove them. " +
			"add and remove write and need issueId and labels.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["list","add","remove"]},"issueId":`+anyText+
			`,"labels":`+anyTexts+`,"cursor":`+anyText, "operation"),
		IDs: []string{"issueId"},
		Output: tools.ObjectSchema(`"issueId":`+anyText+`,"labels":`+nameCounts+`,"nextCursor":`+anyText+`,"changes":`+
			anyTexts, "labels"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := namesOperation(args)
			if operation != opAdd && operation != opRemove {
				return labelsField.list(ctx, ix, args, func(r index.Row) []string { return r.Labels })
			}
			id := args.Required("issueId")
			given := writtenLabels(args, "labels")
			if len(given) == 0 {
				args.Missing("labels")
			}
			fields := store.Fields{AddLabels: given}
			if operation == opRemove {
				fields = store.Fields{RemoveLabels: append(given, labelNames(args)...)} // a label with a comma, too
			}
			return labelsField.change(ctx, w, args, id, always(fields), func(doc *store.Document) []string { return doc.Labels })
		},
	}
}

func projects(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_projects",
		Description: "List projects with counts, or one issue's; add an issue to a project, or remove it. " +
			"add and remove write and need issueId.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["list","add","remove"]},"issueId":`+anyText+
			`,"project":`+anyText+`,"cursor":`+anyText, "operation"),
		IDs: []string{"issueId"},
		Output: tools.ObjectSchema(`"issueId":`+anyText+`,"projects":`+nameCounts+`,"nextCursor":`+anyText+`,"changes":`+
			anyTexts, "projects"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := namesOperation(args)
			if operation != opAdd && operation != opRemove {
				return projectField.list(ctx, ix, args, func(r index.Row) []string { return []string{r.Project} })
			}
			id := args.Required("issueId")
			if operation == opAdd {
				args.Required("project")
			}
			project := strings.TrimSpace(args.String("project"))
			return projectField.change(ctx, w, args, id, func(doc *store.Document) (store.Fields, error) {
				after := project
				if operation == opRemove {
					after = ""
					if project != "" && project != doc.Project {
						return store.Fields{}, nil
					}
				}
				return store.Fields{Project: &after}, nil
			}, func(doc *store.Document) []string { return []string{doc.Project} })
		},
	}
}

// A namesField is a field of documents that holds names.
type namesField struct {
	field    string // as the index calls it
	argument string
	plural   string
	title    string // for the beginning of a sentence
}

var (
	labelsField  = namesField{"label", "labels", "labels", "Labels"}
	projectField = namesField{"project", "project", "projects", "Project"}
)

func (f namesField) answer(names []nameCount) namesAnswer {
	if f == labelsField {
		return namesAnswer{Labels: names}
	}
	return namesAnswer{Projects: names}
}

// namesOperation reads the operation. A cursor without an operation means list.
func namesOperation(args *tools.Args) string {
	if !args.Has("operation") && cursor(args) != "" {
		return opList
	}
	return args.RequiredEnum("operation", opList, opAdd, opRemove)
}

// list answers with the names that documents have, or with those of the document issueId.
func (f namesField) list(ctx context.Context, ix *index.Index, args *tools.Args,
	of func(index.Row) []string) (tools.Result, error) {
	id := args.String("issueId")
	refuseUnused(args, f.argument)
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	if id == "" {
		return f.listAll(ctx, ix, args)
	}
	row, err := lookUp(ctx, ix, args, id)
	if err != nil {
		return tools.Result{}, err
	}
	names := ownNames(of(row)...)
	answer := f.answer(names)
	answer.IssueID = documents.ShortID(row.Handle(), row.Path)
	text := fmt.Sprintf("%s of %s: %s", f.title, documents.Name(answer.IssueID), joined(names))
	return tools.Result{Text: text, Structured: answer, Items: len(names), Hint: inFile(row.Path)}, nil
}

// change changes the names of one document.
func (f namesField) change(ctx context.Context, w *edit.Writer, args *tools.Args, id string, change edit.Change,
	of func(*store.Document) []string) (tools.Result, error) {
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	done, err := w.Update(ctx, edit.DocumentRef{ID: id}, change)
	if err != nil {
		return tools.Result{}, onIssueID(args, err)
	}
	return revised(args, done, func(r revision) tools.Result {
		names := ownNames(of(done.After)...)
		answer := f.answer(names)
		answer.IssueID, answer.changed = r.ID, changedBy(r)
		return tools.Result{Text: fmt.Sprintf("%s\n%s now: %s", r.text("Updated"), f.argument, joined(names)),
			Structured: answer}
	}), nil
}

func changedBy(r revision) changed { return changed{r.Changes, r.UpdatedAt, r.Path, r.Version} }

// inFile is the hint of an answer whose document has more than fits.
func inFile(path string) string { return "The file " + documents.PathText(path) + " has all of it." }

// refuseUnused refuses an argument that only the writing operations use, unless it is
// empty.
func refuseUnused(args *tools.Args, name string) {
	if value := string(args.JSON(name)); args.Has(name) && value != `[]` && value != `""` {
		args.Fail(tools.Errorf(tools.CodeValidation, "This operation only reads, and takes no %s.", name).On(name).
			Try("Leave %s out, or pass an operation that writes. issues_list finds documents by labels or project.", name))
	}
}
