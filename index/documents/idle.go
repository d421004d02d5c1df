package documents

import (
	"iter"
	"strings"

	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// IdleFacts yields why documents are not ready, each reason with their number, and the
// arguments of issues_list that list them. l is the layout of the workspace.
func IdleFacts(idle index.Idle, l *layout.Layout) iter.Seq2[string, string] {
	open, active := "status: ['"+l.First(layout.Open)+"']", "status: ['"+l.First(layout.Active)+"']"
	said := map[index.IdleReason]struct{ one, many, lists string }{
		index.IdleWaiting:   {"waits for others", "wait for others", "blocked: true"},
		index.IdleDeferred:  {"is deferred", "are deferred", open},
		index.IdleParent:    {"is the parent of unfinished ones", "are parents of unfinished ones", open},
		index.IdleAssigned:  {"is assigned to somebody else", "are assigned to somebody else", open},
		index.IdleReady:     {"can be begun", "can be begun", "ready: true"},
		index.IdleClaimed:   {"is claimed", "are claimed", active},
		index.IdleUnclaimed: {"is in progress without a claim", "are in progress without a claim", active},
	}
	return func(yield func(says, lists string) bool) {
		for reason, n := range idle {
			of := said[index.IdleReason(reason)]
			if n > 0 && !yield(words.Count(n, of.one, of.many), of.lists) {
				return
			}
		}
	}
}

// NothingReady says that nothing is ready, in a sentence that reasons may follow; where a filter
// leaves nothing of what is ready, which of its fields do, and how many are ready without it.
// name is what the reader calls a field.
func NothingReady(n index.Narrowing, name func(field string) string) (said, without string) {
	if n.Ready == 0 {
		return "Nothing is ready", ""
	}
	said = "Nothing is ready that fits "
	var names []string
	for _, field := range n.None {
		names = append(names, name(field))
	}
	if len(names) == 0 {
		said += "all filters together"
	}
	return said + strings.Join(names, ", nor "), words.Count(n.Ready, "is", "are") + " ready without the filters."
}
