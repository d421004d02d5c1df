package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
	"issues-index/store/words"
	"issues-index/tools/auth"
)

// The Owners are the machines that have the files of which a hub has copies. The calls that
// write go to them.
type Owners struct {
	// Call asks the machine that has the files of a line, see [share.Team].
	Call func(ctx context.Context, line mirror.Branch, request []byte) ([]byte, error)
	// Wait waits until the hub shows what was published up to a position, for Patience at
	// most.
	Wait     func(ctx context.Context, position uint64) error
	Patience time.Duration
	// Branches returns the lines that the hub has, as far as the caller may use them.
	Branches func() []mirror.Branch
	// Heard returns when a machine that has the files of a line was heard last; zero for
	// never.
	Heard func(mirror.Branch) time.Time
}

// A forwardedCall is a call on its way from a hub to an owner. It names no workspace: it is
// about that of the line which it is sent to.
type forwardedCall struct {
	Format    int                        `json:"format"`
	Tool      string                     `json:"tool"`
	Arguments map[string]json.RawMessage `json:"arguments"`
	Holder    string                     `json:"holder"`
	Scopes    []auth.Scope               `json:"scopes"`
	// Line is how the hub knows the workspace: the answer has its ids.
	Line string `json:"line,omitempty"`
}

// A forwardedAnswer is what the owner answers.
type forwardedAnswer struct {
	Format   int             `json:"format"`
	Text     string          `json:"text,omitempty"`
	Mark     string          `json:"mark,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Items    int             `json:"items,omitempty"`
	Error    *forwardedError `json:"error,omitempty"`
	Position uint64          `json:"position,omitempty"` // published up to there, 0 for not published
	// Line is that of the call if the answer names documents as the hub does. An owner that
	// does not know of it leaves it out, and names them as they are there.
	Line string `json:"line,omitempty"`
}

// A forwardedError is an Error.
type forwardedError struct {
	Code        Code     `json:"code"`
	Message     string   `json:"message"`
	Field       string   `json:"field,omitempty"`
	Remediation string   `json:"remediation,omitempty"`
	Candidates  []string `json:"candidates,omitempty"`
	More        int      `json:"more,omitempty"`
}

// forwardFormat is the format of calls and answers that this version sends and reads.
const forwardFormat = 1

// forward returns the handler of a call that writes to documents of which there are copies
// here.
func (x *toolCall) forward(ctx context.Context, b WorkspaceBinding, workspace string) HandleFunc {
	owners := b.Owners
	subject := auth.PrincipalOf(ctx)
	return func(ctx context.Context, args *Args) (Result, error) {
		if err := args.Err(); err != nil {
			return Result{}, err
		}
		line, arguments, err := addressed(x.tool, owners.Branches(), workspace, b.Within, args.values)
		if err != nil {
			return Result{}, err
		}
		scopes := []auth.Scope{auth.Read, auth.Write, auth.Delete}
		if subject != nil {
			scopes = subject.Scopes
		}
		request, err := json.Marshal(forwardedCall{forwardFormat, x.tool.Name, arguments, x.holder, scopes, line.String()})
		if err != nil {
			return Result{}, err
		}
		data, err := owners.Call(ctx, line, request)
		if err != nil {
			return Result{}, notForwarded(err, line, owners)
		}
		return args.forwarded(ctx, owners, line, data)
	}
}

// forwarded makes a result of an owner's answer, once the hub shows what was written.
func (a *Args) forwarded(ctx context.Context, owners *Owners, line mirror.Branch, data []byte) (Result, error) {
	var answered forwardedAnswer
	if err := json.Unmarshal(data, &answered); err != nil || answered.Format != forwardFormat ||
		len(answered.Object) > 0 && answered.Object[0] != '{' {
		return Result{}, Errorf(CodeProvider,
			"The machine with the files of %s answered in a form that this version does not know: whether it did what was "+
				"asked is not known.", line).
			Try("Read the document before you repeat the call, and ask the user to update issues-index there.")
	}
	if e := answered.Error; e != nil {
		return Result{}, e.received()
	}
	if answered.Line != line.String() {
		a.call.elsewhere = line.String()
	}
	if !owners.shows(ctx, answered.Position) {
		a.Note("it is done, but not shown by this server yet")
	}
	return Result{Text: answered.Text, Mark: markOf(answered.Mark), Structured: answered.Object,
		Items: max(0, answered.Items)}, nil
}

// sentCodes are the codes that another machine's errors have. They are counted by their names.
var sentCodes = []Code{
	CodeValidation, CodeMissingField, CodeIssueNotFound, CodeNotFound, CodeAlreadyExists, CodeLocked, CodePermissionDenied,
	CodeFileNotFound,
	CodePathTraversal, CodeConfiguration, CodeProvider, CodeTimeout, CodeInternal, CodeAmbiguousID, CodeInvalidCursor,
	CodeConflict,
}

// maxCandidates is how many candidates of another machine's error are looked at.
const maxCandidates = 100

// received is the error as one of this server. Whoever has the key of the workspace can write
// anything into it.
func (e *forwardedError) received() *Error {
	line := func(text string) string { return words.CutBytes(Line(text), maxErrorText) }
	r := &Error{Code: e.Code, Message: line(e.Message), Field: Plain(e.Field), Remediation: line(e.Remediation),
		More: max(0, e.More)}
	if !slices.Contains(sentCodes, e.Code) {
		r.Code = CodeProvider
	}
	r.More += max(0, len(e.Candidates)-maxCandidates)
	for _, candidate := range e.Candidates[:min(len(e.Candidates), maxCandidates)] {
		r.Candidates = append(r.Candidates, line(candidate))
	}
	return r
}

// shows waits until the hub shows what was published.
func (o *Owners) shows(ctx context.Context, position uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	return position > 0 && o.Wait(ctx, position) == nil
}

// notForwarded words why a call did not reach the machine with the files, or no answer came.
func notForwarded(err error, line mirror.Branch, owners *Owners) error {
	switch {
	case errors.Is(err, share.ErrNoOwner):
		heard := "It was not heard since this server runs"
		if at := owners.Heard(line); !at.IsZero() {
			heard = "It was last heard at " + at.UTC().Format(time.RFC3339)
		}
		return Errorf(CodeProvider, "No machine with the files of %s is connected; nothing was changed. %s.", line, heard).
			Try("Call again when it is, or ask the user to start issues-index there.")
	case errors.Is(err, share.ErrBusy):
		return Errorf(CodeLocked, "The machine with the files of %s has too many calls waiting; nothing was changed.", line).
			Try("Call again in a moment.")
	case errors.Is(err, share.ErrUnreached):
		return Errorf(CodeProvider,
			"The team's cluster cannot be reached, so that the machine with the files of %s was not asked; nothing was changed.",
			line).
			Try("Call again later, or ask the user whether the cluster runs.")
	case errors.Is(err, share.ErrAway), errors.Is(err, context.DeadlineExceeded):
		return Errorf(CodeTimeout,
			"The machine with the files of %s did not answer: whether it did what was asked is not known.", line).
			Try("Read the document before you repeat the call.")
	case errors.Is(err, share.ErrForbidden):
		return Errorf(CodePermissionDenied,
			"The team's cluster does not allow this server to write to %s; nothing was changed.", line).
			Try("Ask the user for credentials that may call.")
	}
	return fmt.Errorf("forward a call: %w", err)
}
