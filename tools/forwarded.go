package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"issues-index/index/claims"
	"issues-index/store/mirror"
	"issues-index/tools/answer"
	"issues-index/tools/auth"
)

// markOf reads a mark that another machine has sent: nothing else can stand above what this
// server says.
func markOf(text string) answer.Mark {
	if strings.Trim(text, "=") != "" {
		return ""
	}
	return answer.Mark(text)
}

// A ForwardedTo is the workspace to which calls of other machines come.
type ForwardedTo struct {
	// Bind returns what such a call works with. It reaches nothing else.
	Bind func(ctx context.Context) (WorkspaceBinding, error)
	// Publish publishes what the call has changed, and returns up to which position all is
	// published.
	Publish func(ctx context.Context) (position uint64, err error)
}

// publishWait is how long an answer waits until what was changed is published. Then the
// publisher goes on by itself.
const publishWait = 5 * time.Second

// AnswerForwarded answers a call that another machine has sent here, because here are the
// files. It may only write documents, with the scopes that its caller has there.
func (s *Server) AnswerForwarded(ctx context.Context, to ForwardedTo, request []byte) []byte {
	var call forwardedCall
	var wrong *Error
	if err := json.Unmarshal(request, &call); err != nil || call.Format != forwardFormat {
		wrong = Errorf(CodeProvider, "The machine with the files does not know this form of calls; nothing was changed.").
			Try("Ask the user to update issues-index.")
	}
	t, known := s.tools[call.Tool]
	if wrong == nil && (!known || t.ReadOnly || t.over == nil) {
		wrong = Errorf(CodePermissionDenied, "The machine with the files does not take calls of %s; nothing was changed.",
			Quote(call.Tool)).Try("Call another tool.")
	}
	line, ok := mirror.ParseBranch(call.Line)
	if !ok { // a hub of an older version names none
		line = mirror.Branch{}
	}
	answered := forwardedAnswer{Format: forwardFormat, Line: line.String()}
	if wrong != nil {
		answered.Error = sentError(wrong)
		return answered.bytes()
	}
	r := s.callForwarded(ctx, to, t, call, line)
	if r.err != nil {
		answered.Error = sentError(r.err)
		return answered.bytes()
	}
	answered.Text, answered.Object, answered.Mark, answered.Items = r.text, r.object, string(r.mark), r.items
	wait, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	position, err := to.publish(wait)
	if err != nil {
		s.log.Warn("publish what a forwarded call has changed; the publisher goes on", "tool", t.Name, "error", err)
		position = 0
	}
	answered.Position = position
	return answered.bytes()
}

// alone binds a call, which names no workspace of this machine.
func (to ForwardedTo) alone(ctx context.Context, workspace string) (WorkspaceBinding, error) {
	if workspace != "" {
		return WorkspaceBinding{}, Errorf(CodePermissionDenied,
			"A call from another machine names no workspace here; nothing was changed.").On(workspaceArgument).
			Try("Leave it out.")
	}
	b, err := to.Bind(ctx)
	b.Elsewhere = "" // a folder of this machine, which the caller knows by another name
	return b, err
}

func (to ForwardedTo) publish(ctx context.Context) (position uint64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return to.Publish(ctx)
}

// callForwarded runs the tool for its caller, who knows the workspace as a line of a hub.
func (s *Server) callForwarded(ctx context.Context, to ForwardedTo, t Tool, call forwardedCall,
	line mirror.Branch) reply {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	holder := claims.HolderName(call.Holder)
	ctx = auth.With(ctx, &auth.Principal{Name: holder, Scopes: call.Scopes})
	arguments, err := json.Marshal(call.Arguments)
	x := &toolCall{Server: s, tool: t, raw: arguments, output: OutputBoth, holder: holder, lease: claims.DefaultLength,
		alone: to.alone, hubLine: line, failed: err}
	if x.failed == nil {
		x.failed = permitted(ctx, t)
	}
	if x.failed == nil {
		defer x.bind(ctx)()
	}
	if x.settings == nil {
		x.settings = s.currentSettings()
	}
	sent, r := x.answer(ctx)
	x.recordReply(began, holder, sent, r)
	return sent
}

func sentError(e *Error) *forwardedError {
	return &forwardedError{Code: e.Code, Message: e.Message, Field: e.Field, Remediation: e.Remediation,
		Candidates: slices.Clone(e.Candidates), More: e.More}
}

func (a forwardedAnswer) bytes() []byte {
	data, err := json.Marshal(a)
	if err != nil { // an object that is none
		data, _ = json.Marshal(forwardedAnswer{Format: forwardFormat, Error: sentError(ErrorOf(err))})
	}
	return data
}
