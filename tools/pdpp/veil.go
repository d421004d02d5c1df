package pdpp

import (
	"context"
	"encoding/json"
	"errors"

	"issues-index/tools"
	"issues-index/tools/upstream"
)

// veils are those of the tokens that a call has sent.
type veils []upstream.Redactor

type veilsKey struct{}

// sent keeps the veil of a token with the call that sends it.
func sent(ctx context.Context, veil upstream.Redactor) {
	if call, ok := ctx.Value(veilsKey{}).(*veils); ok {
		*call = append(*call, veil)
	}
}

// covered is a tool in whose answers no token is. Each answer of the RS is covered as it
// comes; this is for what becomes of them: to clean a text, to cut marks out of it and to
// put it behind another may join what stood apart.
func covered(t tools.Tool) tools.Tool {
	handle := t.Handle
	t.Handle = func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		var call veils
		r, err := handle(context.WithValue(ctx, veilsKey{}, &call), args)
		for _, veil := range call {
			r.Text = string(veil.RedactText([]byte(r.Text)))
			if whole := encode(r.Structured); err == nil {
				if without := veil.RedactText(whole); string(without) != string(whole) {
					r.Structured = json.RawMessage(without)
				}
			}
			err = coverError(veil, err)
		}
		return r, err
	}
	return t
}

// coverError is an error without the token.
func coverError(veil upstream.Redactor, err error) error {
	var e *tools.Error
	if !errors.As(err, &e) {
		return err
	}
	clean := func(text string) string { return string(veil.RedactText([]byte(text))) }
	without := *e
	without.Message, without.Remediation, without.Field = clean(e.Message), clean(e.Remediation), clean(e.Field)
	without.Upstream = json.RawMessage(clean(string(e.Upstream)))
	without.Candidates = nil
	for _, candidate := range e.Candidates {
		without.Candidates = append(without.Candidates, clean(candidate))
	}
	return &without
}
