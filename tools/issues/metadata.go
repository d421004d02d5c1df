package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/tools"
)

// A contextual answers issues_metadata.
type contextual struct {
	IssueID         string          `json:"issueId"`
	WranglerContext json.RawMessage `json:"wranglerContext"`
	Note            string          `json:"note,omitempty"`
	changed
}

func metadata(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_metadata",
		Description: "Get one issue's wranglerContext (agentId, parentTaskId, ...) or one key of it, set one key or remove it. " +
			"set and remove write and need key.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["get","set","remove"]},"issueId":`+anyText+
			`,"key":`+anyText+`,"value":{"description":"any JSON"}`, "operation", "issueId"),
		Output: tools.ObjectSchema(`"issueId":`+anyText+`,"wranglerContext":{"type":"object"},"changes":`+anyTexts, "issueId", "wranglerContext"),
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
			row, err := subject(ctx, ix, id)
			if err != nil {
				return tools.Result{}, err
			}
			if key != "" {
				return oneKey(args, row, key)
			}
			return args.Smaller(lastLevel, func(n int) tools.Result {
				c := contextual{IssueID: levels[n].id(handle(row), row.Path)}
				c.WranglerContext, c.Note = levels[n].context(row.Context, row.Path)
				text := fmt.Sprintf("wranglerContext of %s: %s", name(c.IssueID), c.WranglerContext)
				if row.Context == nil {
					text = fmt.Sprintf("%s has no wranglerContext.", name(c.IssueID))
				}
				return tools.Result{Text: withNote(text, c.Note), Structured: c, Items: 1}
			}), nil
		},
	}
}

// oneKey answers with the value of one key, or with as much of it as there is
// room for.
func oneKey(args *tools.Args, row index.Row, key string) (tools.Result, error) {
	members := contextMembers(row.Context)
	found := slices.IndexFunc(members, func(m member) bool { return m.key == key })
	if found < 0 {
		keys := make([]string, len(members))
		for i, m := range members {
			keys[i] = tools.Plain(m.key)
		}
		return tools.Result{}, tools.Errorf(tools.CodeNotFound, "The wranglerContext of %s has no key %s.", tools.Plain(handle(row)), tools.Quote(key)).
			On("key").Try("Leave key out to see all of it. Its keys are:").Among(keys...)
	}
	value := members[found].value
	most := math.MaxInt
	return args.Smaller(lastLevel, func(n int) tools.Result {
		if n > 0 {
			most = room(args.Budget()) >> n
		}
		shown, left := cutValue(value, most)
		l := levels[min(n, 1)]
		c := contextual{IssueID: l.id(handle(row), row.Path)}
		c.WranglerContext = json.RawMessage(fmt.Sprintf("{%s:%s}", jsonText(l.name(key)), shown))
		if left > 0 {
			c.Note = fmt.Sprintf("%d more characters are left out; the file %s has them, in its frontmatter.", left, row.Path)
		}
		text := fmt.Sprintf("wranglerContext of %s: %s", name(c.IssueID), c.WranglerContext)
		return tools.Result{Text: withNote(text, c.Note), Structured: c, Items: 1}
	}), nil
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
	done, err := w.Update(ctx, id, always(store.Fields{Context: map[string]json.RawMessage{key: value}}))
	if err != nil {
		return tools.Result{}, onIssueID(err)
	}
	noteWritten(args, done)
	return args.Smaller(lastLevel, func(n int) tools.Result {
		r := levels[n].revision(done)
		c := contextual{IssueID: r.ID, changed: changedBy(r)}
		c.WranglerContext, c.Note = levels[n].context(done.After.Context, done.Path)
		text := withNote(fmt.Sprintf("%s\nwranglerContext now: %s", r.text("Updated"), c.WranglerContext), c.Note)
		c.Note = sentences(r.Note, c.Note)
		return tools.Result{Text: text, Structured: c, Items: 1}
	}), nil
}
