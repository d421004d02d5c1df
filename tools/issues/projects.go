package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/writing"
	"issues-index/store"
	"issues-index/tools"
)

// A projecting answers issues_projects: all projects and how many documents
// each has, or the one of one document, and what was changed.
type projecting struct {
	IssueID  string      `json:"issueId,omitempty"`
	Projects []nameCount `json:"projects"`
	changed
}

func projects(ix *index.Index, w *writing.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_projects",
		Description: "List all projects with counts, or one document's; add a document to a project, in place of its own, or remove it. " +
			"add and remove write and need issueId.",
		Input: schema(`"operation":{"type":"string","enum":["list","add","remove"]},"issueId":`+anyText+
			`,"project":`+anyText, "operation"),
		Output: schema(`"issueId":`+anyText+`,"projects":`+nameCounts+`,"changes":`+anyTexts, "projects"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := args.RequiredEnum("operation", opList, opAdd, opRemove)
			if operation == opAdd || operation == opRemove {
				return changeProject(ctx, w, args, operation)
			}
			id := args.String("issueId")
			noteUnused(args, "project")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if id == "" {
				return allProjects(ctx, ix)
			}
			row, err := subject(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			p := projecting{IssueID: handle(row), Projects: ownProject(row.Project)}
			text := fmt.Sprintf("Project of %s: %s", name(p.IssueID), line(orNone(row.Project)))
			return tools.Result{Text: text, Structured: p}, nil
		},
	}
}

// changeProject gives a document a project, or takes it away: any, or the one
// that is named.
func changeProject(ctx context.Context, w *writing.Writer, args *tools.Args, operation string) (tools.Result, error) {
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
	r := revisionOf(args, done)
	p := projecting{r.ID, ownProject(done.After.Project), changedBy(r)}
	text := r.text("Updated") + "\nproject now: " + orNone(line(done.After.Project))
	return tools.Result{Text: text, Structured: p}, nil
}

// ownProject is the project of one document, as a list.
func ownProject(project string) []nameCount { return named([]index.Count{{Value: project}}) }

func allProjects(ctx context.Context, ix *index.Index) (tools.Result, error) {
	counts, _, err := ix.Stats(ctx, "project", index.Filter{})
	if err != nil {
		return tools.Result{}, err
	}
	names := named(counts)
	return tools.Result{Text: namesText("projects", names), Structured: projecting{Projects: names}}, nil
}
