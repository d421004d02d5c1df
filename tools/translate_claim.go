package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/store/cachedir"
	"issues-index/store/layout"
)

// These are the rows of the table for what a claim can run into.

func refusedClaim(e *edit.ClaimError) *Error {
	id := e.ID
	if _, ok := Whole(id); !ok {
		id = e.Path
	}
	id = Line(id)
	until := moment(e.Until)
	var what, next, hint string
	switch {
	case e.Elsewhere:
		what = fmt.Sprintf("%s is claimed on another machine, by %s until %s", id, Plain(e.Holder), until)
		hint = "issues-index release " + id + " --as " + Plain(e.Holder) + " ends that claim, on that machine"
	case e.Reason == edit.ClaimHeld:
		what = fmt.Sprintf("%s is claimed by %s until %s", id, Plain(e.Holder), until)
		hint = "issues-index release " + id + " --as " + Plain(e.Holder) + " ends that claim, if its holder has gone"
	case e.Reason == edit.ClaimLapsed:
		what = fmt.Sprintf("the claim of %s on %s has lapsed, but others may take it from %s only", Plain(e.Holder), id, until)
		hint = "issues-index release " + id + " --as " + Plain(e.Holder) + " ends that claim, if its holder has gone"
	case e.Reason == edit.ClaimUnleased:
		what = fmt.Sprintf("%s is in progress by %s, who has not claimed it", id, Plain(orNobody(e.Holder)))
		next = "Take other work with issues_claim {operation: 'next'}. If nobody works on it, set it open with issues_update {id: '" + id + "', status: 'open', assignee: ''} first."
		hint = "issues-index set " + id + " status=open assignee= makes it free"
	case e.Reason == edit.ClaimAssigned:
		what = fmt.Sprintf("%s is assigned to %s", id, Plain(e.Holder))
		next = "Take other work with issues_claim {operation: 'next'}. If it is yours, clear the assignee with issues_update {id: '" + id + "', assignee: ''} first."
		hint = "issues-index set " + id + " assignee= makes it free"
	case e.Reason == edit.ClaimFinished:
		what = fmt.Sprintf("%s is %s", id, Plain(e.Status))
		next = "Take other work with issues_claim {operation: 'next'}, or open it again with issues_update {id: '" + id + "', status: 'open'} first."
		hint = "issues-index set " + id + " status=open opens it again"
	case e.Reason == edit.ClaimNoStatus:
		what = "nothing can be claimed: the workspace has no status for work that was begun"
		next = "Ask the user to add one of the category active to statuses in " + layout.File + "."
		hint = "add one of the category active to statuses in " + layout.File
	case e.Reason == edit.ClaimOutdated:
		what = fmt.Sprintf("%s was claimed anew since: its fence is %d now, and %s holds it", id, e.Fence, Plain(e.Holder))
		hint = "issues-index show " + id + " tells who works on it"
	default:
		what = fmt.Sprintf("you hold no claim on %s: it is %s", id, Plain(e.Status))
		next = "Claim it with issues_claim {operation: 'claim', id: '" + id + "'} first."
		hint = "issues-index claim " + id + " claims it"
	}
	switch e.EndedBy {
	case "":
	case e.Holder:
		what += fmt.Sprintf("; %s took it over at %s", Plain(e.EndedBy), moment(e.Ended))
	default:
		what += fmt.Sprintf("; %s ended your claim at %s", Plain(e.EndedBy), moment(e.Ended))
	}
	if next == "" {
		next = "Take other work with issues_claim {operation: 'next'}, or tell the user who holds it."
	}
	return Errorf(CodeConflict, "%s. Nothing was changed.", strings.ToUpper(what[:1])+what[1:]).On("id").Try("%s", next).AtTerminal(what, "nothing was changed; "+hint)
}

// unagreedClaim says why a claim that has to be agreed with the team was not made.
func unagreedClaim(e *edit.UnagreedClaimError) *Error {
	what := fmt.Sprintf("%s cannot be claimed: claims are agreed with the team here, and %s", Line(e.ID), e.Err.Reason())
	return Errorf(CodeProvider, "%s. Nothing was changed.", what).On("id").
		Try("Call again in some seconds. If this stays, tell the user; with local: true the claim binds this machine's clone alone, "+
			"and another machine may claim the issue, too.").
		AtTerminal(what, "nothing was changed; claim --local claims it in this clone alone, and another machine may claim it, too")
}

// NoteLost says which claims the caller has no longer, and who ended them.
func (a *Args) NoteLost(lost []claims.Lease) {
	for _, one := range lost {
		if one.EndedBy != "" {
			a.Note(LeaseEnd(one))
			continue
		}
		a.Note(fmt.Sprintf("the claim of %s on %s lapsed at %s; issues_claim {operation: 'renew', id: '%[2]s'} or any write renews it",
			Plain(one.Holder), Line(one.ID), isoTime(one.Expires)))
	}
}

// LeaseEnd says how a lease has ended that somebody else has ended.
func LeaseEnd(one claims.Lease) string {
	whose, by := fmt.Sprintf("the claim of %s on %s", Plain(one.Holder), Line(one.ID)), Plain(one.EndedBy)
	switch {
	case one.TakenOver():
		return fmt.Sprintf("%s lapsed at %s, and %s holds it now", whose, isoTime(one.Expires), by)
	case one.Status == "":
		return fmt.Sprintf("%s ended at %s: %s deleted it", whose, isoTime(one.Ended), by)
	case one.Assignee == "" || one.Assignee == one.Holder:
		return fmt.Sprintf("%s ended at %s: %s set it %s", whose, isoTime(one.Ended), by, Plain(one.Status))
	}
	return fmt.Sprintf("%s ended at %s: %s set it %s and assigned it to %s", whose, isoTime(one.Ended), by, Plain(one.Status), Plain(one.Assignee))
}

// isoTime is a time among the lines of an answer.
func isoTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// moment is a time in a sentence.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

func orNobody(holder string) string {
	if holder == "" {
		return "nobody"
	}
	return holder
}

// unusableLeases says why nothing can be claimed. Everything else works.
func unusableLeases(e *claims.UnusableError) *Error {
	const only = "Claims do not work, everything else does."
	var foreign *cachedir.ForeignError
	switch {
	case errors.As(e, &foreign):
		return Errorf(CodeConfiguration, "%s %s. %s", Quote(inWorkspace(foreign.Path)), Plain(foreign.Reason), only).
			Try("Ask the user to move it away, and call again.").
			AtTerminal(foreign.Error(), "move it away: claims are kept in "+claims.Path)
	case errors.Is(e, fs.ErrPermission) || errors.Is(e, syscall.EROFS):
		return Errorf(CodePermissionDenied, "Claims are kept in %s, which cannot be written. %s", claims.Path, only).
			Try("Ask the user to make the folder writable.").
			AtTerminal(e.Error(), "claims need a .wrangler/cache that can be written")
	}
	return Errorf(CodeProvider, "Claims are kept in %s, which cannot be used. %s", claims.Path, only).
		Try("Call again in some seconds. If this stays, ask the user to look at the file; it can be deleted, and all claims with it.").
		AtTerminal(e.Error(), "try again; "+claims.Path+" can be deleted, and all claims with it")
}
