package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
)

// A projecting answers issues_projects: all projects and how many documents
// each has, or the one of one document, and what was changed.
type projecting struct {
	IssueID  string      `json:"issueId,omitempty"`
	Projects []nameCount `json:"projects"`
	paged
	changed
}

func projects(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_projects",
		Description: "List all projects with counts, or one issue's; add an issue to a project, in place of its own, or remove it. " +
			"add and remove write and need issueId.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["list","add","remove"]},"issueId":`+anyText+
			`,"project":`+anyText+`,"cursor":`+anyText, "operation"),
		Output: tools.ObjectSchema(`"issueId":`+anyText+`,"projects":`+nameCounts+`,"nextCursor":`+anyText+`,"changes":`+anyTexts, "projects"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := listOr(args, opAdd, opRemove)
			if operation == opAdd || operation == opRemove {
				return changeProject(ctx, w, args, operation)
			}
			id := args.String("issueId")
			refuseUnused(args, "project")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if id == "" {
				return allNames(ctx, ix, args, "project", namePage{what: "projects", object: func(names []nameCount, p paged) any {
					return projecting{Projects: names, paged: p}
				}})
			}
			row, err := subject(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			return args.Smaller(lastLevel, func(n int) tools.Result {
				p := projecting{IssueID: levels[n].id(handle(row), row.Path), Projects: levels[n].ownProject(row.Project)}
				p.Note = levels[n].cutNote("project", row.Project, row.Path)
				text := fmt.Sprintf("Project of %s: %s", name(p.IssueID), joined(p.Projects))
				return tools.Result{Text: withNote(text, p.Note), Structured: p, Items: len(p.Projects)}
			}), nil
		},
	}
}

// changeProject gives a document a project, or takes it away: any, or the one
// that is named.
func changeProject(ctx context.Context, w *edit.Writer, args *tools.Args, operation string) (tools.Result, error) {
	id := args.Required("issueId")
	if operation == opAdd {
		args.Required("project")
	}
	project := strings.TrimSpace(args.String("project"))
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	done, err := w.Update(ctx, id, func(doc *store.Document) (store.Fields, error) {
		after := project
		if operation == opRemove {
			after = ""
			if project != "" && project != doc.Project {
				return store.Fields{}, nil
			}
		}
		return store.Fields{Project: &after}, nil
	})
	if err != nil {
		return tools.Result{}, onIssueID(err)
	}
	noteBehind(args, done.Behind)
	return args.Smaller(lastLevel, func(n int) tools.Result {
		r := levels[n].revision(done)
		p := projecting{IssueID: r.ID, Projects: levels[n].ownProject(done.After.Project), changed: changedBy(r)}
		p.Note = levels[n].cutNote("project", done.After.Project, done.Path)
		text := withNote(r.text("Updated")+"\nproject now: "+joined(p.Projects), p.Note)
		p.Note = sentences(r.Note, p.Note)
		return tools.Result{Text: text, Structured: p, Items: 1}
	}), nil
}

// ownProject is the project of one document as the level shows it, as a list.
func (l level) ownProject(project string) []nameCount {
	if project == "" {
		return []nameCount{}
	}
	return []nameCount{{Name: l.text(project)}}
}
