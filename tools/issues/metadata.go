package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/orderedjson"
	"issues-index/tools"
)

// A metadataAnswer answers issues_metadata.
type metadataAnswer struct {
	IssueID         string          `json:"issueId"`
	WranglerContext json.RawMessage `json:"wranglerContext"`
	changed
}

func metadata(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_metadata",
		Description: "Get one issue's wranglerContext or a key of it, set a key or remove it. " +
			"set and remove write and need key.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["get","set","remove"]},"issueId":`+anyText+
			`,"key":`+anyText+`,"value":{"description":"any JSON"}`, "operation", "issueId"),
		IDs: []string{"issueId"},
		Output: tools.ObjectSchema(`"issueId":`+anyText+`,"wranglerContext":{"type":"object"},"changes":`+anyTexts, "issueId",
			"wranglerContext"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			operation := args.RequiredEnum("operation", opGet, opSet, opRemove)
			if operation == opSet || operation == opRemove {
				return changeMetadata(ctx, w, args, operation)
			}
			id := args.Required("issueId")
			key := strings.TrimSpace(args.String("key"))
			refuseUnused(args, "value")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			row, err := lookUp(ctx, ix, args, id)
			if err != nil {
				return tools.Result{}, err
			}
			if key != "" {
				return oneKey(row, key)
			}
			c := metadataAnswer{IssueID: documents.ShortID(row.Handle(), row.Path), WranglerContext: contextOf(row.Context)}
			text := fmt.Sprintf("wranglerContext of %s: %s", documents.Name(c.IssueID), c.WranglerContext)
			if row.Context == nil {
				text = fmt.Sprintf("%s has no wranglerContext.", documents.Name(c.IssueID))
			}
			hint := "issues_metadata get with key reads one key. " + inFile(row.Path)
			return tools.Result{Text: text, Structured: c, Items: 1, Hint: hint}, nil
		},
	}
}

// oneKey answers with the value of one key.
func oneKey(row index.Row, key string) (tools.Result, error) {
	id := documents.ShortID(row.Handle(), row.Path)
	members, err := orderedjson.Parse(contextOf(row.Context))
	if err != nil {
		return tools.Result{}, fmt.Errorf("read the wranglerContext of %s: %w", row.Path, err)
	}
	value := members.Get(key)
	if value == nil {
		keys := make([]string, len(members))
		for i, m := range members {
			keys[i] = tools.Plain(m.Name)
		}
		return tools.Result{}, tools.Errorf(tools.CodeNotFound, "The wranglerContext of %s has no key %s.",
			tools.Plain(row.Handle()), tools.Quote(key)).
			On("key").Try("Leave key out to see all of it. Its keys are:").Among(keys...)
	}
	c := metadataAnswer{IssueID: id, WranglerContext: marshalled(orderedjson.Object{{Name: key, Value: value}})}
	text := fmt.Sprintf("wranglerContext of %s: %s", documents.Name(id), c.WranglerContext)
	return tools.Result{Text: text, Structured: c, Items: 1, Hint: inFile(row.Path)}, nil
}

// changeMetadata sets one key to any JSON, null included, or removes it.
func changeMetadata(ctx context.Context, w *edit.Writer, args *tools.Args, operation string) (tools.Result, error) {
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
	done, err := w.Update(ctx, edit.DocumentRef{ID: id},
		always(store.Fields{Context: map[string]json.RawMessage{key: value}}))
	if err != nil {
		return tools.Result{}, onIssueID(args, err)
	}
	return revised(args, done, func(r revision) tools.Result {
		c := metadataAnswer{IssueID: r.ID, WranglerContext: contextOf(done.After.Context), changed: changedBy(r)}
		return tools.Result{Text: fmt.Sprintf("%s\nwranglerContext now: %s", r.text("Updated"), c.WranglerContext),
			Structured: c}
	}), nil
}
