package issues

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store/layout"
	"issues-index/tools"
)

// A claimAnswer answers issues_claim.
type claimAnswer struct {
	Operation string `json:"operation"`
	Holder    string `json:"holder"`
	ID        string `json:"id,omitempty"` // absent when nothing was claimed
	Title     string `json:"title,omitempty"`
	Priority  string `json:"priority,omitempty"`
	Until     string `json:"until,omitempty"`
	Fence     int64  `json:"fence,omitempty"`
	Path      string `json:"path,omitempty"`
	Version   string `json:"version,omitempty"`
	Former    string `json:"former,omitempty"` // who let the lease lapse
	Waiting   int    `json:"waiting,omitempty"`
	Claimed   int    `json:"claimed,omitempty"`
	Note      string `json:"note,omitempty"`
}

const claimName = "issues_claim"

// The operations of issues_claim.
const (
	claimNext    = "next"
	claimOne     = "claim"
	claimRenew   = "renew"
	claimRelease = "release"
)

// claimFilters are the names of the filters of issues_claim: those of a list, but for the
// status.
var claimFilters = []string{"priority", "labels", "assignee", "project", "parentTaskId", "types", "type", "where"}

func claim(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: claimName,
		Description: "Claim an issue to work on, so that no other agent takes it. Writes. next takes the best ready one; " +
			"the others take id. " +
			"Sets " + layoutOf(ix).First(layout.Active) + " and assignee; your writes renew it, completing ends it.",
		Input: tools.ObjectSchema(`"operation":{"type":"string","enum":["next","claim","renew","release"]},"id":`+anyText+
			`,"filters":{"type":"object","properties":{"labels":`+anyTexts+`,"project":`+anyText+`,"where":`+anyText+`}}`+
			`,"leaseMinutes":`+number+`,"reason":`+anyText, "operation"),
		IDs:     []string{"id", "parentTaskId", "filters.parentTaskId"},
		Takes:   append([]string{"agentId", "ifFence", "ifVersion", "local"}, claimFilters...),
		TakesIn: map[string][]string{"filters": {"priority", "assignee", "parentTaskId", "types", "type"}},
		Output: tools.ObjectSchema(`"operation":`+anyText+`,"holder":`+anyText+`,"id":`+anyText+`,"until":`+anyText+
			`,"fence":`+number+`,"version":`+anyText,
			"operation", "holder"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			c := claimCall{ix: ix, w: w, args: args}
			c.read(ctx)
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if c.request.Length == 0 && c.operation != claimRenew {
				c.request.Length = args.Lease()
			}
			switch c.operation {
			case claimNext:
				return c.next(ctx)
			case claimRelease:
				return c.release(ctx)
			}
			return c.one(ctx)
		},
	}
}

// A claimCall is one call of issues_claim.
type claimCall struct {
	ix   *index.Index
	w    *edit.Writer
	args *tools.Args

	operation string
	ref       edit.DocumentRef
	filter    index.Filter
	request   edit.ClaimRequest
	fence     int64
	reason    string
}

// read reads the arguments.
func (c *claimCall) read(ctx context.Context) {
	args := c.args
	c.operation = args.RequiredEnum("operation", claimNext, claimOne, claimRenew, claimRelease)
	c.ref = edit.DocumentRef{ID: args.String("id"), IfVersion: args.String("ifVersion")}
	c.request.Holder, c.request.Session = args.Holder(), args.Session()
	if agent := claims.HolderName(args.String("agentId")); agent != "" {
		c.request.Holder = claims.HolderName(c.request.Holder, agent)
	}
	c.request.Length = time.Duration(args.Int("leaseMinutes", 1, int(claims.MaxLength/time.Minute), 0)) * time.Minute
	c.fence = int64(args.Int("ifFence", 0, 1<<53, 0))
	c.request.Local = args.Bool("local")
	c.reason = strings.TrimSpace(args.String("reason"))
	filters := args
	if args.Has("filters") {
		filters = args.Object("filters")
	}
	c.filter = readFilter(ctx, c.ix, filters).query()
	c.filter.Where = index.AskedCriteria{Text: filters.String("where"), Me: args.Holder()}
	if _, err := documents.Narrow(ctx, c.ix, &c.filter, ""); err != nil {
		args.Fail(tools.ErrorOf(err))
	}
	if c.operation != "" && c.operation != claimNext && strings.TrimSpace(c.ref.ID) == "" {
		args.Missing("id")
	}
	if c.operation != "" && c.operation != claimNext {
		c.refuseFilters()
	}
	if c.operation == claimNext && c.ref.ID != "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid id: next chooses the issue itself.").On("id").
			Try("Pass operation: 'claim' with the id, or next without."))
	}
}

// refuseFilters refuses filters beside an id: the issue would be claimed whether it fits
// them or not.
func (c *claimCall) refuseFilters() {
	for _, name := range append([]string{"filters"}, claimFilters...) {
		if c.args.Has(name) {
			c.args.Fail(tools.Errorf(
				tools.CodeValidation, "Invalid %s: %s takes the id alone, only next chooses among issues.", name, c.operation,
			).On(name).
				Try("Leave %s out, or pass operation: 'next' without the id.", name))
			return
		}
	}
}

// next claims the issue to work on next.
func (c *claimCall) next(ctx context.Context) (tools.Result, error) {
	next, err := c.w.Next(ctx, c.filter, c.request)
	if err != nil {
		return tools.Result{}, err
	}
	if n := len(next.Skipped); n > 0 {
		ids := make([]string, min(n, 3))
		for i := range ids {
			row := namingOf(c.args).row(next.Skipped[i])
			ids[i] = tools.Line(row.Handle())
		}
		c.args.Note(
			fmt.Sprintf("passed over %s: the id is shared, or the frontmatter cannot be edited", strings.Join(ids, ", ")),
		)
	}
	if next.Found {
		return c.claimed(next.Claimed), nil
	}
	noteUnknownStatuses(ctx, c.ix, c.args)
	return c.nothing(next), nil
}

// argumentOf has the arguments that are called other than the fields of a filter.
var argumentOf = map[string]string{"statuses": "status", "priorities": "priority", "parent": "parentTaskId"}

// nothing says why nothing is ready.
func (c *claimCall) nothing(next edit.NextClaim) tools.Result {
	idle := next.Idle
	idle[index.IdleReady] = 0 // they were passed over, which a note says
	var reasons []string
	listed := ""
	for says, lists := range documents.IdleFacts(idle, layoutOf(c.ix)) {
		call := " (issues_list {" + lists + "})"
		if lists == listed { // one call for both
			reasons[len(reasons)-1] = strings.TrimSuffix(reasons[len(reasons)-1], call)
		}
		reasons, listed = append(reasons, says+call), lists
	}
	note, without := documents.NothingReady(
		next.Narrowing, func(field string) string { return cmp.Or(argumentOf[field], field) },
	)
	if len(reasons) > 0 {
		note += ": " + strings.Join(reasons, ", ")
	}
	note = sentences(note+".", without)
	return tools.Result{Text: note, Structured: claimAnswer{
		Operation: c.operation, Holder: c.request.Holder, Waiting: idle[index.IdleWaiting], Claimed: idle[index.IdleClaimed],
		Note: note,
	}}
}

// one claims or renews one issue.
func (c *claimCall) one(ctx context.Context) (tools.Result, error) {
	var done edit.Claimed
	var err error
	if c.operation == claimRenew {
		done, err = c.w.Renew(ctx, c.ref, c.request, c.fence)
	} else {
		done, err = c.w.Claim(ctx, c.ref, c.request)
	}
	if err != nil {
		return tools.Result{}, err
	}
	return c.claimed(done), nil
}

// claimed answers with what the holder has now.
func (c *claimCall) claimed(done edit.Claimed) tools.Result {
	named := namingOf(c.args)
	done.Applied, done.NotReady = named.applied(done.Applied), named.reasons(done.NotReady)
	noteWritten(c.args, done.Applied)
	if note := documents.NotReadyNote(done.NotReady); note != "" {
		c.args.Note(note)
	}
	doc := done.After
	a := claimAnswer{
		Operation: c.operation, Holder: done.Lease.Holder, ID: documents.ShortID(doc.ID, done.Path),
		Title: tools.Line(doc.Title), Priority: doc.CountedPriority(),
		Until: documents.Stamp(done.Lease.Expires), Fence: done.Lease.Fence, Path: done.Path, Version: doc.Version,
		Former: done.Former,
	}
	did := "Claimed"
	if done.Again {
		did = "Renewed"
	}
	text := fmt.Sprintf(
		"%s %s %s %s, until %s (any write of yours renews it).", did, documents.Name(a.ID), tools.Plain(a.Priority),
		quotedTitle(doc), a.Until,
	)
	if a.Former != "" {
		text += fmt.Sprintf(" The claim of %s had lapsed: look at what was done already.", tools.Plain(a.Former))
	}
	text += fmt.Sprintf(
		"\nholder: %s\nfence: %d\npath: %s\nversion: %s", a.Holder, a.Fence, documents.PathText(a.Path), a.Version,
	)
	return tools.Result{Text: text, Structured: a, Items: 1, Hint: inFile(done.Path)}
}

// release gives one issue back.
func (c *claimCall) release(ctx context.Context) (tools.Result, error) {
	done, err := c.w.Release(ctx, c.ref, c.request.Holder, c.fence, c.reason)
	if err != nil {
		return tools.Result{}, err
	}
	named := namingOf(c.args)
	done.Applied = named.applied(done.Applied)
	noteWritten(c.args, done.Applied)
	doc := done.After
	a := claimAnswer{
		Operation: c.operation, Holder: c.request.Holder, ID: documents.ShortID(doc.ID, done.Path), Path: done.Path,
		Version: doc.Version,
	}
	text := fmt.Sprintf(
		"Released %s %s: it is %s and has no assignee.", documents.Name(a.ID), quotedTitle(doc),
		tools.Plain(doc.CountedStatus()),
	)
	if !done.Changed {
		a.Note = fmt.Sprintf("It was not claimed: it is %s.", tools.Plain(doc.CountedStatus()))
		if c.reason != "" {
			a.Note += " The reason was not written down, since it has no holder: issues_edit {op: 'append'} writes it."
		}
		if done.Lost != nil && done.Lost.Told { // else a note tells it
			a.Note += " Before, " + tools.LeaseEnd(named.lease(*done.Lost)) + "."
		}
		text = fmt.Sprintf("No changes to %s. %s", documents.Name(a.ID), a.Note)
	}
	return tools.Result{
		Text: text + "\npath: " + documents.PathText(a.Path) + "\nversion: " + a.Version, Structured: a, Items: 1,
		Hint: inFile(done.Path),
	}, nil
}
