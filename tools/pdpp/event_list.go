package pdpp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"issues-index/tools"
)

func listEventSubscriptions(c *Client) tools.Tool {
	return reading(tools.Tool{
		Name: "list_event_subscriptions",
		Description: "List the event subscriptions of this grant with status and callback_url: GET /v1/event-subscriptions. Read-only. " +
			"Without secrets. See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(""),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			p, err := c.list(ctx, subscriptionsPath, nil)
			if err != nil {
				return tools.Result{}, err
			}
			whole := c.subscriptions(p, len(p.Rows))
			if args.Fits(whole) {
				return whole, nil
			}
			// The RS has no pages of them, so the rest is left out here.
			shown := len(p.Rows)
			for shown > 1 {
				shown /= 2
				if r := c.subscriptions(p, shown); args.Fits(r) {
					r.Outcome, r.Original = tools.OutcomeSummarized, whole.Size()
					return r, nil
				}
			}
			return whole, nil
		},
	})
}

// subscriptions shows the first of a list of them.
func (c *Client) subscriptions(p *page, shown int) tools.Result {
	e := c.envelope(p.answer)
	lines := []string{fmt.Sprintf("%d event subscriptions.", len(p.Rows))}
	if len(p.Rows) == 0 {
		lines[0] = "No event subscriptions. create_event_subscription makes one."
	}
	if shown < len(p.Rows) {
		e.Data = withRows(p.answer.Body, p.Rows[:shown]...)
		e.Note = fmt.Sprintf("Only the first %d of %d are shown; get_event_subscription reads any by its id.", shown, len(p.Rows))
		lines = append(lines, e.Note)
	}
	for _, raw := range p.Rows[:shown] {
		var s subscription
		if json.Unmarshal(raw, &s) == nil {
			lines = append(lines, s.line())
		}
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: e, Items: shown}
}
