package words

import "slices"

// meantFor has, for words that other trackers and people use, the values that they
// probably mean. Its keys are folded by Fold.
var meantFor = map[string][]string{
	"done": closedWords, "complete": closedWords, "resolved": closedWords, "fixed": closedWords, "finished": closedWords,
	"completed": closedWords, "close": closedWords, "merged": closedWords, "closed": closedWords, "archived": closedWords,

	"wontfix": {"cancelled"}, "won'tfix": {"cancelled"}, "wontdo": {"cancelled"}, "canceled": {"cancelled"}, "abandoned": {"cancelled"},
	"rejected": {"cancelled"}, "invalid": {"cancelled"}, "duplicate": {"cancelled"}, "obsolete": {"cancelled"}, "dropped": {"cancelled"},

	"todo": {"open"}, "new": {"open"}, "backlog": {"open"}, "notstarted": {"open"}, "pending": {"open"}, "reopened": {"open"},
	"reopen": {"open"}, "ready": {"open"}, "unresolved": {"open"},

	"doing": startedWords, "wip": startedWords, "started": startedWords, "active": startedWords, "inreview": startedWords,
	"review": startedWords, "working": startedWords, "ongoing": startedWords, "running": startedWords, "inprogress": startedWords,

	"p0": {"critical"}, "urgent": {"critical"}, "blocker": {"critical"}, "highest": {"critical"}, "severe": {"critical"}, "emergency": {"critical"},
	"p1": {"high"}, "major": {"high"}, "important": {"high"},
	"p2": {"medium"}, "normal": {"medium"}, "default": {"medium"}, "moderate": {"medium"}, "med": {"medium"},
	"p3": {"low"}, "p4": {"low"}, "minor": {"low"}, "trivial": {"low"}, "lowest": {"low"},

	"bug": {"issue"}, "task": {"issue"}, "ticket": {"issue"}, "story": {"issue"}, "feature": {"issue"}, "defect": {"issue"}, "issues": {"issue"},
	"spec": {"specification"}, "specs": {"specification"}, "specifications": {"specification"}, "proposal": {"idea"}, "ideas": {"idea"},

	"state": {"status"}, "labels": {"label"}, "tag": {"label", "labels"}, "tags": {"label", "labels"}, "owner": {"assignee"},
	"body": {"description"}, "content": {"description"}, "text": {"description"}, "created": {"dates"}, "updated": {"dates"},
	"createdat": {"created", "dates"}, "updatedat": {"updated", "dates"}, "date": {"created", "dates"},
	"score": {"relevance"}, "best": {"relevance"}, "ascending": {"asc"}, "descending": {"desc"},
	"brief": {"minimal", "summary"}, "compact": {"minimal"}, "short": {"minimal"}, "detailed": {"full"}, "details": {"full"},
	"failure": {"failed"}, "success": {"completed", "complete"}, "begin": {"started"}, "start": {"started"}, "end": {"complete"},

	"tick": {"check"}, "untick": {"uncheck"}, "add": {"append"}, "strreplace": {"replace"}, "replacetext": {"replace"},
	"findreplace": {"replace"}, "findandreplace": {"replace"}, "searchreplace": {"replace"}, "replacestring": {"replace"},
	"insertatend": {"append"}, "addtoend": {"append"}, "insertatstart": {"prepend"}, "insertatbeginning": {"prepend"}, "addtostart": {"prepend"},
	"appendtosection": {"append_section"}, "addtosection": {"append_section"},
	"insertbeforesection": {"insert_before"}, "insertaftersection": {"insert_after"},

	"delete": {"remove"}, "unset": {"remove"}, "create": {"add", "set"}, "update": {"set"}, "read": {"get", "list"}, "show": {"get", "list"},
}

var (
	closedWords  = []string{"closed", "complete", "completed"}
	startedWords = []string{"in_progress", "started"}
)

// Synonym returns the allowed value that another word stands for in other trackers or in
// speech, "" when there is none.
func Synonym(word string, allowed []string) string {
	for _, value := range meantFor[Fold(word)] {
		if slices.Contains(allowed, value) {
			return value
		}
	}
	return ""
}
