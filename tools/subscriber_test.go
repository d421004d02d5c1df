package tools

import (
	"context"
	"testing"

	"issues-index/tools/auth"
)

// A subscription over HTTP outlives its request, and keeps of it who has sent it.
func TestASubscriptionKeepsWhoHasSubscribed(t *testing.T) {
	request, end := context.WithCancel(context.WithValue(t.Context(), answerKey{}, &httpAnswer{}))
	sent := auth.With(WithCaller(request, Caller{Session: "one"}), &auth.Principal{Name: "ann"})
	end()
	kept := lasting(sent)
	if caller, _ := callerOf(kept); kept.Err() != nil || caller.Session != "one" || auth.PrincipalOf(kept).Name != "ann" {
		t.Errorf("%v: it is of %+v", kept.Err(), caller)
	}
	if answerOf(kept) != nil {
		t.Error("it keeps the answer, and with it a connection")
	}
}
