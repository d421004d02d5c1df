package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/writing"
	"issues-index/store"
	"issues-index/tools"
)

// A contextual answers issues_metadata.
type contextual struct {
	IssueID         string          `json:"issueId"`
	WranglerContext json.RawMessage `json:"wranglerContext"`
	changed
}

func metadata(ix *index.Index, w *writing.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_metadata",
		Description: "Get one document's wranglerContext (agentId, parentTaskId, ...), set one key or remove it. " +
			"set and remove write and need key.",
		Input: schema(`"operation":{"type":"string","enum":["get","set","remove"]},"issueId":`+anyText+
			`,"key":`+anyText+`,"value":{"description":"any JSON"}`, "operation", "issueId"),
		Output: schema(`"issueId":`+anyText+`,"wranglerContext":{"type":"object"},"changes":`+anyTexts, "issueId", "wranglerContext"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := args.RequiredEnum("operation", opGet, opSet, opRemove)
			if operation == opSet || operation == opRemove {
				return changeMetadata(ctx, w, args, operation)
			}
			id := args.Required("issueId")
			noteUnused(args, "key")
			noteUnused(args, "value")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			row, err := subject(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			c := contextual{IssueID: handle(row), WranglerContext: contextOf(row.Context)}
			text := fmt.Sprintf("wranglerContext of %s: %s", name(c.IssueID), c.WranglerContext)
			if row.Context == nil {
				text = fmt.Sprintf("%s has no wranglerContext.", name(c.IssueID))
			}
			return tools.Result{Text: text, Structured: c}, nil
		},
	}
}

// changeMetadata sets one key to any JSON, null included, or removes it.
func changeMetadata(ctx context.Context, w *writing.Writer, args *tools.Args, operation string) (tools.Result, error) {
	id := args.Required("issueId")
	key := strings.TrimSpace(args.Required("key"))
	var value json.RawMessage
	if operation == opSet {
		if value = args.JSON("value"); value == nil {
			args.Required("value")
		}
	}
	if err := args.Err(); err != nil {
		return tools.Result{}, err
	}
	done, err := w.Update(ctx, id, always(store.Fields{Context: map[string]json.RawMessage{key: value}}))
	if err != nil {
		return tools.Result{}, onIssueID(err)
	}
	r := revisionOf(args, done)
	c := contextual{r.ID, contextOf(done.After.Context), changedBy(r)}
	text := fmt.Sprintf("%s\nwranglerContext now: %s", r.text("Updated"), c.WranglerContext)
	return tools.Result{Text: text, Structured: c}, nil
}
