package issues

import (
	"context"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
)

func update(ix *index.Index, w *edit.Writer) tools.Tool {
	l := layoutOf(ix)
	return tools.Tool{
		Name: "issues_update",
		Description: "Update (edit) one issue: status, priority, title or any field. Writes. " +
			"description replaces the text: to add to it use issues_edit. " +
			`labels replaces all, '+a' adds, '-a' removes; wranglerContext merges, "" clears assignee, project or parent. ` +
			"status " + endStatuses(l) + " moves the file to archived/.",
		Idempotent: true,
		Takes:      labelChanges,
		IDs:        []string{"id", "dependsOn", "addDependsOn", "removeDependsOn", "parent", "wranglerContext.parentTaskId"},
		Input: tools.ObjectSchema(`"id":`+anyText+`,"title":`+anyText+`,"description":`+anyText+`,"type":`+typeEnum+
			`,"status":`+statusEnum(l)+`,"priority":`+priorityEnum(l)+`,`+ownFields+`,"dependsOn":`+anyTexts+`,"addDependsOn":`+
			anyTexts+`,"removeDependsOn":`+anyTexts+`,"parent":`+anyText+
			`,"wranglerContext":{"type":"object","properties":{}},`+ifVersion, "id"),
		Output: tools.ObjectSchema(revisionProperties, "id", "changes", "path"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ref := readRef(args)
			fields := readFields(args, l)
			given := args.Given()
			delete(given, "id")
			delete(given, "ifVersion")
			if len(given) == 0 && args.JSON("assignee") == nil && args.JSON("project") == nil && args.JSON("parent") == nil {
				args.Note("no field to change was given beside id")
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			done, err := w.Update(ctx, ref, always(fields))
			if err != nil {
				return tools.Result{}, err
			}
			return revised(args, done, func(r revision) tools.Result {
				return tools.Result{Text: r.text("Updated"), Structured: r}
			}), nil
		},
	}
}

// labelChanges are arguments that change some labels. They are in no schema, which would cost tokens in
// every conversation: +a or -a in labels does the same.
var labelChanges = []string{"addLabels", "removeLabels"}

// always sets the same fields, whatever the document says.
func always(f store.Fields) edit.Change {
	return func(*store.Document) (store.Fields, error) { return f, nil }
}
