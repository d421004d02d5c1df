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
			whole := c.subscriptions(p, len(p.Rows), false)
			if args.Fits(whole) {
				return whole, nil
			}
			// The RS has no pages of them, so what does not fit is left out here: their
			// addresses, and then the last.
			for shown := len(p.Rows); shown > 0; shown = shown * 3 / 4 {
				if r := c.subscriptions(p, shown, true); args.Fits(r) {
					r.Outcome, r.Original = tools.OutcomeSummarized, whole.Size()
					return r, nil
				}
			}
			return whole, nil
		},
	})
}

// subscriptions shows the first of a list of them, of each only its id and status
// where it has to be short.
func (c *Client) subscriptions(p *page, shown int, short bool) tools.Result {
	e := c.envelope(p.answer)
	lines := []string{fmt.Sprintf("%d event subscriptions.", len(p.Rows))}
	if len(p.Rows) == 0 {
		lines[0] = "No event subscriptions. create_event_subscription makes one."
	}
	if short {
		e.Note = "Only ids and states are here, to fit; get_event_subscription reads one."
		if shown < len(p.Rows) {
			e.Note += fmt.Sprintf(" They are the first %d of %d.", shown, len(p.Rows))
		}
		lines = append(lines, e.Note)
	}
	rows := make([]json.RawMessage, 0, shown)
	for _, raw := range p.Rows[:shown] {
		var s subscription
		if !read(raw, &s) {
			lines, rows = append(lines, preview{"", brief(raw, maxAddress)}.line()), append(rows, raw)
			continue
		}
		if short {
			s = subscription{ID: s.ID, Status: s.Status}
			raw = encode(s)
		}
		lines, rows = append(lines, s.line()), append(rows, raw)
	}
	if short {
		e.Data = withRows(p.answer.Body, rows...)
	}
	return tools.Result{Text: strings.Join(lines, "\n"), Structured: e, Items: shown}
}
