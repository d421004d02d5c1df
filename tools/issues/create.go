package issues

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
)

// A createAnswer answers issues_create.
type createAnswer struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Path      string `json:"path"`
	CreatedAt string `json:"createdAt"`
}

func create(ix *index.Index, w *edit.Writer) tools.Tool {
	l := layoutOf(ix)
	return tools.Tool{
		Name: "issues_create",
		Description: "Create a new issue (ticket, task, bug), specification or idea. Writes. " +
			"Defaults: issue, " + l.DefaultStatus() + ", " + l.DefaultPriority() +
			". A title that an unfinished one has needs allowDuplicateTitle.",
		Input: tools.ObjectSchema(`"title":{"type":"string","maxLength":200},"description":`+anyText+`,"type":`+typeEnum+
			`,"status":`+statusEnum(l)+`,"priority":`+priorityEnum(l)+`,`+ownFields+`,"dependsOn":`+anyTexts+`,"parent":`+
			anyText+`,"wranglerContext":{"type":"object","properties":{}}`+
			`,"allowDuplicateTitle":{"type":"boolean"}`, "title", "description"),
		IDs: []string{"dependsOn", "parent", "wranglerContext.parentTaskId"},
		Output: tools.ObjectSchema(`"id":`+anyText+`,"type":`+anyText+`,"path":`+anyText+`,"createdAt":`+anyText, "id",
			"path"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			args.Required("title")
			args.Required("description")
			labels, mixed := store.NamesOf("labels", writtenLabels(args, "labels"), nil)
			extra, err := contextObject(args.Members("wranglerContext"))
			n := store.NewDocument{
				Title:       readTitle(args),
				Description: args.String("description"),
				Type:        args.Enum("type", store.Types...),
				Status:      args.Choice("status", l.StatusValues()),
				Priority:    args.Choice("priority", l.PriorityValues()),
				Labels:      labels,
				Assignee:    strings.TrimSpace(args.String("assignee")),
				Project:     strings.TrimSpace(args.String("project")),
				DependsOn:   args.IDs("dependsOn"),
				Parent:      strings.TrimSpace(args.String("parent")),
				Context:     extra,
			}
			allowDuplicate := args.Bool("allowDuplicateTitle")
			if wrong := cmp.Or(args.Err(), mixed); wrong != nil {
				return tools.Result{}, wrong
			}
			if err != nil {
				return tools.Result{}, fmt.Errorf("write wranglerContext: %w", err)
			}
			done, err := w.Create(ctx, n, allowDuplicate)
			if err != nil {
				return tools.Result{}, err
			}
			done = namingOf(args).applied(done)
			noteWritten(args, done)
			c := createAnswer{done.After.ID, done.After.Type, done.Path, documents.Stamp(done.After.Created)}
			text := fmt.Sprintf("Created issue %s with ID: %s\ntype: %s\ncreated: %s\npath: %s", quotedTitle(done.After), c.ID,
				c.Type, c.CreatedAt, c.Path)
			return tools.Result{Text: text, Structured: c, Items: 1}, nil
		},
	}
}
