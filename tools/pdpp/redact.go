package pdpp

import (
	"context"
	"encoding/json"
	"errors"

	"issues-index/tools"
	"issues-index/tools/upstream"
)

type redactorsKey struct{}

// sent notes that a call sends the token of a redactor.
func sent(ctx context.Context, redactor upstream.Redactor) {
	if redactors, ok := ctx.Value(redactorsKey{}).(*[]upstream.Redactor); ok {
		*redactors = append(*redactors, redactor)
	}
}

// withoutToken returns a tool in whose answers there is no token. The client takes the token
// out of each response of the RS; cleaning and joining texts may put the parts of one
// together again.
func withoutToken(t tools.Tool) tools.Tool {
	handle := t.Handle
	t.Handle = func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		var redactors []upstream.Redactor
		r, err := handle(context.WithValue(ctx, redactorsKey{}, &redactors), args)
		for _, redactor := range redactors {
			if err != nil {
				err = redactError(redactor, err)
				continue
			}
			r.Text = string(redactor.RedactText([]byte(r.Text)))
			r.Structured = json.RawMessage(redactor.RedactText(encode(r.Structured)))
		}
		return r, err
	}
	return t
}

// redactError returns an error without the token.
func redactError(redactor upstream.Redactor, err error) error {
	var e *tools.Error
	if !errors.As(err, &e) {
		return err
	}
	clean := func(text string) string { return string(redactor.RedactText([]byte(text))) }
	without := *e
	without.Message, without.Remediation, without.Field = clean(e.Message), clean(e.Remediation), clean(e.Field)
	without.Upstream = json.RawMessage(clean(string(e.Upstream)))
	without.Candidates = nil
	for _, candidate := range e.Candidates {
		without.Candidates = append(without.Candidates, clean(candidate))
	}
	return &without
}
