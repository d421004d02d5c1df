// Package issues is the toolset of the workspace's documents. Each tool has a file with
// its definition, its handler and its answer in both channels. The other files hold what
// tools share: filter.go and fields.go read arguments, page.go answers with a page of a
// query, rows.go and full.go render its rows, document.go renders one document, and
// revision.go says what a change did.
//
// It knows nothing about SQL, files' syntax or MCP. Its invariants:
//
//   - text and structured output say the same, and each is enough to go on;
//   - a document's text comes from its file, byte for byte, never from the index;
//   - where several documents share an id, an answer has their paths, and nothing is
//     changed;
//   - an answer that leaves something out says what, and how to get it;
//   - a list shows whole rows and a cursor, never half a row;
//   - a change is on disk before its answer is sent, and the next read shows it.
package issues

import (
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/tools"
)

// Toolset returns the tools that serve an index. Their definitions name the statuses and
// priorities of its workspace, the usual ones without an index.
func Toolset(ix *index.Index) tools.Toolset {
	return toolset(ix, edit.New(ix, edit.LockWait))
}

func toolset(ix *index.Index, w *edit.Writer) tools.Toolset {
	all := []tools.Tool{
		create(ix, w),
		list(ix),
		search(ix),
		get(ix),
		getBatch(ix),
		update(ix, w),
		updateBatch(ix, w),
		editText(w),
		remove(ix, w),
		labels(ix, w),
		projects(ix, w),
		metadata(ix, w),
		markComplete(w),
		claim(ix, w),
		allComplete(ix),
		stats(ix),
		issueHistory(ix),
	}
	for i, t := range all {
		all[i] = withClaims(ix, withMainWorktree(ix, withNames(withHubNames(t))))
	}
	return tools.Toolset{Name: "issues", Lead: lead, ShortLead: shortLead, Guide: guide, ShortGuide: shortGuide,
		Tools: all}
}

// What the server's instructions say about this toolset. The lead is in the part that
// every host shows.
const (
	lead = "Issue tracker of this repository: list, search, read, create, update and close issues, specifications and " +
		"ideas; " +
		"begin with issues_claim {operation: 'next'} or issues_list {ready: true}. " +
		"issues_stats counts, issues_list and issues_search find, issues_get reads one, issues_get_batch several. " +
		"Name one by its id (ISS-000042), on AMBIGUOUS_ID by its path. " +
		"Narrow with typed filters and fields; pass cursor alone for the next page."

	guide = "To add to a text, tick boxes or change a section, use issues_edit, without a copy of the text. " +
		"A long document comes in chunks with an outline: pass its id with cursor, section, or startLine and endLine."

	shortLead = "Issue tracker: issues, specifications and ideas; begin with issues_claim {operation: 'next'} or " +
		"issues_list {ready: true}. " +
		"issues_get reads one (ISS-000042), typed filters narrow, cursor goes on."

	shortGuide = "issues_edit adds to a text, ticks boxes and changes sections. " +
		"A long document comes in chunks with an outline: pass its id with cursor, section, or startLine and endLine."
)
