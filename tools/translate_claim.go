package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"issues-index/index/claims"
	"issues-index/index/edit"
	"issues-index/store/cachedir"
	"issues-index/store/layout"
)

// These are the rows of the table for what a claim can run into.

func refusedClaim(e *edit.ClaimError) *Error {
	id, holder, until := nameable(e.ID, e.Path), Plain(e.Holder), moment(e.Until)
	next := "Take other work with issues_claim {operation: 'next'}, or tell the user who holds it."
	const other = "Take other work with issues_claim {operation: 'next'}. "
	var what, hint string
	release := "issues-index release " + id + " --as " + holder + " ends that claim, "
	switch {
	case e.Elsewhere:
		what = fmt.Sprintf("%s is claimed on another machine, by %s until %s", id, holder, until)
		hint = release + "on that machine"
	case e.Reason == edit.ClaimHeld:
		what = fmt.Sprintf("%s is claimed by %s until %s", id, holder, until)
		hint = release + "if its holder has gone"
	case e.Reason == edit.ClaimLapsed:
		what = fmt.Sprintf("The claim of %s on %s has lapsed, but others may take it from %s only", holder, id, until)
		hint = release + "if its holder has gone"
	case e.Reason == edit.ClaimUnleased:
		what = id + " is in progress without a claim"
		if holder != "" {
			what += ", assigned to " + holder
		}
		next = other + "If the work has stopped, set it open with issues_update {id: '" + id +
			"', status: 'open', assignee: ''} first."
	case e.Reason == edit.ClaimAssigned:
		what = fmt.Sprintf("%s is assigned to %s", id, holder)
		next = other + "If it is yours, clear the assignee with issues_update {id: '" + id + "', assignee: ''} first."
	case e.Reason == edit.ClaimFinished:
		what = fmt.Sprintf("%s is %s", id, Plain(e.Status))
		next = other + "To open it again, call issues_update {id: '" + id + "', status: 'open'} first."
	case e.Reason == edit.ClaimNoStatus:
		what = "Nothing can be claimed: the workspace has no status for work that was begun"
		next = "Ask the user to add one of the category active to statuses in " + layout.File + "."
	case e.Reason == edit.ClaimOutdated:
		what = fmt.Sprintf("%s was claimed anew since: its fence is %d now, and %s holds it", id, e.Fence, holder)
		hint = "issues-index show " + id + " tells who works on it"
	default:
		what = fmt.Sprintf("You hold no claim on %s: it is %s", id, Plain(e.Status))
		next = "Claim it with issues_claim {operation: 'claim', id: '" + id + "'} first."
	}
	switch e.EndedBy {
	case "":
	case e.Holder:
		what += fmt.Sprintf("; %s took it over at %s", Plain(e.EndedBy), moment(e.Ended))
	default:
		what += fmt.Sprintf("; %s ended your claim at %s", Plain(e.EndedBy), moment(e.Ended))
	}
	return Errorf(CodeConflict, "%s. Nothing was changed.", what).On("id").Try("%s", next).AtTerminal("", hint)
}

// unagreedClaim says why a claim that has to be agreed with the team was not made.
func unagreedClaim(e *edit.UnagreedClaimError) *Error {
	return Errorf(CodeProvider, "%s cannot be claimed: claims are agreed with the team here, and %s. Nothing was changed.",
		Line(e.ID), e.Err.Reason()).On("id").
		Try("Call again in some seconds, or pass local: true: the claim then binds this machine's clone alone, " +
			"and another machine may claim the issue, too.")
}

// NoteLost says which claims the caller has no longer, and who ended them.
func (a *Args) NoteLost(lost []claims.Lease) {
	for _, one := range lost {
		if one.EndedBy != "" {
			a.Note(LeaseEnd(one))
			continue
		}
		a.Note(fmt.Sprintf("the claim of %s on %s lapsed at %s; issues_claim {operation: 'renew', id: '%[2]s'} or any "+
			"write renews it",
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
	return fmt.Sprintf("%s ended at %s: %s set it %s and assigned it to %s",
		whose, isoTime(one.Ended), by, Plain(one.Status), Plain(one.Assignee))
}

// isoTime is a time among the lines of an answer.
func isoTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// moment is a time in a sentence.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// unusableLeases says why nothing can be claimed. Everything else works.
func unusableLeases(e *claims.UnusableError) *Error {
	const only = "Claims do not work, everything else does."
	var foreign *cachedir.ForeignError
	switch {
	case errors.As(e, &foreign):
		return Errorf(CodeConfiguration, "%s %s. %s", Quote(inWorkspace(foreign.Path)), Line(foreign.Reason), only).
			Try("Ask the user to move it away, and call again.")
	case errors.Is(e, fs.ErrPermission) || errors.Is(e, syscall.EROFS):
		return Errorf(CodePermissionDenied, "Claims are kept in %s, which cannot be written. %s", claims.Path, only).
			Try("Ask the user to make the folder writable.")
	}
	return Errorf(CodeProvider, "Claims are kept in %s, which cannot be used. %s", claims.Path, only).
		Try("Call again in some seconds. If this stays, ask the user to look at the file; it can be deleted, and all "+
			"claims with it.").
		AtTerminal(e.Error(), "")
}
