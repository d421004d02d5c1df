package words

import (
	"cmp"
	"maps"
	"slices"
)

// sameAs has words that other trackers and people use for a status, a priority or a type,
// with the values that they certainly mean: they are taken for these. Its keys are folded
// by Fold.
var sameAs = map[string][]string{
	"done": closedWords, "complete": closedWords, "resolved": closedWords, "fixed": closedWords,
	"finished":  closedWords,
	"completed": closedWords, "close": closedWords, "merged": closedWords, "closed": closedWords,

	"wontfix": {"cancelled"}, "won'tfix": {"cancelled"}, "wontdo": {"cancelled"}, "canceled": {"cancelled"},
	"abandoned": {"cancelled"},

	"todo": {"open"}, "new": {"open"}, "backlog": {"open"}, "notstarted": {"open"}, "reopened": {"open"},
	"reopen": {"open"},

	"doing": startedWords, "wip": startedWords, "started": startedWords, "active": startedWords,
	"working": startedWords, "ongoing": startedWords, "inprogress": startedWords,

	"urgent": {"critical"}, "blocker": {"critical"}, "highest": {"critical"}, "major": {"high"},
	"important": {"high"},
	"normal":    {"medium"}, "moderate": {"medium"}, "med": {"medium"}, "minor": {"low"}, "trivial": {"low"},
	"lowest": {"low"},

	"issues": {"issue"}, "spec": {"specification"}, "specs": {"specification"},
	"specifications": {"specification"}, "ideas": {"idea"},
}

// meantFor has words that probably mean a value, which an error suggests. They are not
// taken for it: a bug is only one kind of issue, and P1 comes first in one tracker and
// second in another.
var meantFor = map[string][]string{
	"archived": {"closed"}, "rejected": {"cancelled"}, "invalid": {"cancelled"}, "duplicate": {"cancelled"},
	"obsolete": {"cancelled"},
	"dropped":  {"cancelled"}, "pending": {"open"}, "ready": {"open"}, "unresolved": {"open"},
	"inreview": startedWords, "review": startedWords, "running": startedWords,

	"p0": {"critical"}, "p1": {"high"}, "p2": {"medium"}, "p3": {"low"}, "p4": {"low"},
	"severe": {"critical"}, "emergency": {"critical"}, "default": {"medium"},

	"bug": {"issue"}, "task": {"issue"}, "ticket": {"issue"}, "story": {"issue"}, "feature": {"issue"},
	"defect": {"issue"}, "proposal": {"idea"},

	"state": {"status"}, "labels": {"label"}, "tag": {"label", "labels"}, "tags": {"label", "labels"},
	"owner": {"assignee"},
	"body":  {"description"}, "content": {"description"}, "text": {"description"}, "created": {"dates"},
	"updated":   {"dates"},
	"createdat": {"created", "dates"}, "updatedat": {"updated", "dates"}, "date": {"created", "dates"},
	"score": {"relevance"}, "best": {"relevance"}, "ascending": {"asc"}, "descending": {"desc"},
	"brief": {"minimal", "summary"}, "compact": {"minimal"}, "short": {"minimal"}, "detailed": {"full"},
	"details": {"full"},
	"failure": {"failed"}, "success": {"completed", "complete"}, "begin": {"started"}, "start": {"started"},
	"end": {"complete"},

	"tick": {"check"}, "untick": {"uncheck"}, "add": {"append"}, "strreplace": {"replace"},
	"replacetext": {"replace"},
	"findreplace": {"replace"}, "findandreplace": {"replace"}, "searchreplace": {"replace"},
	"replacestring": {"replace"},
	"insertatend":   {"append"}, "addtoend": {"append"}, "insertatstart": {"prepend"},
	"insertatbeginning": {"prepend"}, "addtostart": {"prepend"},
	"appendtosection": {"append_section"}, "addtosection": {"append_section"},
	"insertbeforesection": {"insert_before"}, "insertaftersection": {"insert_after"},

	"delete": {"remove"}, "unset": {"remove"}, "create": {"add", "set"}, "update": {"set"},
	"read": {"get", "list"}, "show": {"get", "list"},
}

var (
	closedWords  = []string{"closed", "complete", "completed"}
	startedWords = []string{"in_progress", "started"}
)

// A ValueSet is the values that something may have.
type ValueSet struct {
	Allowed []string
	// Instead has, for usual values that are not allowed, those that take their place: what
	// is understood as closed is understood as Done, where a workspace has that.
	Instead map[string]string
}

// Only returns values that take the place of no others.
func Only(allowed ...string) ValueSet { return ValueSet{Allowed: allowed} }

// Understood returns the allowed value that another word certainly stands for, "" when
// there is none.
func (v ValueSet) Understood(word string) string {
	usual := slices.Sorted(maps.Keys(v.Instead))
	instead, _ := Respell(word, usual)
	return cmp.Or(meaning(sameAs, word, v.Allowed), v.Instead[cmp.Or(instead, meaning(sameAs, word, usual))])
}

// Synonym returns the allowed value that another word stands for in other trackers or in
// speech, certainly or not, "" when there is none.
func (v ValueSet) Synonym(word string) string {
	usual := slices.Sorted(maps.Keys(v.Instead))
	return cmp.Or(v.Understood(word), meaning(meantFor, word, v.Allowed), v.Instead[meaning(meantFor, word, usual)])
}

// Suggested returns the allowed value that was probably meant by a word that stands for
// none with certainty, "" when none is near.
func (v ValueSet) Suggested(word string) string {
	return cmp.Or(v.Synonym(word), Nearest(word, v.Allowed))
}

func meaning(meanings map[string][]string, word string, allowed []string) string {
	for _, value := range meanings[Fold(word)] {
		if slices.Contains(allowed, value) {
			return value
		}
	}
	return ""
}
