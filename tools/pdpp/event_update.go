package pdpp

import (
	"context"
	"net/http"
	"strings"

	"issues-index/tools"
)

// A change is what is patched of a subscription; what is absent stays.
type change struct {
	Enabled      *bool `json:"enabled,omitempty"`
	RotateSecret bool  `json:"rotate_secret,omitempty"`
}

func updateEventSubscription(c *Client) tools.Tool {
	return tools.Tool{
		Name: "update_event_subscription",
		Description: "Disable or enable an event subscription, or rotate its secret: PATCH /v1/event-subscriptions/{id}. Writes. " +
			"A new secret is shown this once. See discover_event_subscription_capabilities.",
		Input:  tools.ObjectSchema(subscriptionInput+`,"enabled":{"type":"boolean"},"rotate_secret":{"type":"boolean"}`, "subscription_id"),
		Output: answered(),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			wanted := change{RotateSecret: args.Bool("rotate_secret")}
			if given := strings.Trim(string(args.JSON("enabled")), `" `); args.Has("enabled") && given != "" {
				enabled := args.Bool("enabled")
				wanted.Enabled = &enabled
			}
			if wanted == (change{}) {
				args.Fail(tools.Errorf(tools.CodeMissingField, "There is nothing to update.").On("enabled").
					Try("Pass enabled: true or false, or rotate_secret: true."))
			}
			return c.one(ctx, args, http.MethodPatch, "", wanted, func(id string) string {
				var done []string
				if wanted.Enabled != nil {
					done = append(done, map[bool]string{true: "enabled", false: "disabled"}[*wanted.Enabled])
				}
				if wanted.RotateSecret {
					done = append(done, "given a new secret, and the old one no longer signs")
				}
				return "Event subscription " + id + " was " + strings.Join(done, " and ") + "."
			})
		},
	}
}
