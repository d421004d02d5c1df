// Package issues is the toolset of the workspace's documents: one file a tool,
// each with its definition, its handler and its answer in both channels. The
// rest is what they share: how documents look as rows and as a whole, how a
// page says how to go on, which arguments narrow, which set fields, and how a
// change is told.
//
// It knows nothing about SQL, files' syntax or MCP. Its invariants:
//
//   - text and structured output say the same, and each is enough to go on;
//   - a document's text comes from its file, byte for byte, never from the index;
//   - where an id names several documents, what is answered has the path, and
//     nothing is changed;
//   - every answer keeps to its budget by means of its own, and says what it left
//     out and how to get it;
//   - a change that is answered is on disk, and the next read shows it.
package issues

import (
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/tools"
)

// Toolset returns the tools that serve an index.
func Toolset(ix *index.Index) tools.Toolset {
	return toolset(ix, edit.New(ix, edit.LockWait))
}

func toolset(ix *index.Index, w *edit.Writer) tools.Toolset {
	all := []tools.Tool{
		create(w),
		list(ix),
		search(ix),
		get(ix),
		getBatch(ix),
		update(w),
		updateBatch(w),
		remove(w),
		labels(ix, w),
		projects(ix, w),
		metadata(ix, w),
		markComplete(w),
		allComplete(ix),
		stats(ix),
	}
	for i, t := range all {
		all[i] = withNames(t)
	}
	return tools.Toolset{Name: "issues", Lead: lead, ShortLead: shortLead, Guide: guide, ShortGuide: shortGuide, Tools: all}
}
