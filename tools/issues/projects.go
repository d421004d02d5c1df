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

// A projectsAnswer answers issues_projects: all projects and how many documents
// each has, or the one of one document, and what was changed.
type projectsAnswer struct {
	IssueID  string      `json:"issueId,omitempty"`
	Projects []nameCount `json:"projects"`
	namesPage
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
				return allNames(ctx, ix, args, "project", "projects", func(names []nameCount, p namesPage) any {
					return projectsAnswer{Projects: names, namesPage: p}
				})
			}
			row, err := lookUp(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			p := projectsAnswer{IssueID: shortID(handle(row), row.Path), Projects: ownNames(row.Project)}
			text := fmt.Sprintf("Project of %s: %s", name(p.IssueID), joined(p.Projects))
			return tools.Result{Text: text, Structured: p, Items: len(p.Projects), Hint: inFile(row.Path)}, nil
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
	r := revisionOf(done)
	p := projectsAnswer{IssueID: r.ID, Projects: ownNames(done.After.Project), changed: changedBy(r)}
	return tools.Result{Text: r.text("Updated") + "\nproject now: " + joined(p.Projects), Structured: p, Items: 1, Hint: inFile(done.Path)}, nil
}
