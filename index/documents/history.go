package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"issues-index/index"
	"issues-index/store/history"
	"issues-index/store/words"
)

// ReadHistory finds the history of a document, also of one that is gone.
func ReadHistory(ctx context.Context, ix *index.Index, id string) (*history.History, error) {
	_, doc, missing := ix.Load(ctx, id)
	switch {
	case missing == nil:
		return history.Read(ctx, ix.Workspace(), history.Of(ix.Workspace(), doc))
	case !isGone(missing):
		return nil, missing
	}
	h, err := history.Read(ctx, ix.Workspace(), history.Named(ix.Workspace(), id))
	if errors.As(err, new(*history.UnreadableError)) {
		return nil, missing
	}
	if err == nil && h.Path() == "" {
		h.Close()
		return nil, missing
	}
	return h, err
}

func isGone(err error) bool {
	var gone *index.NotFoundError
	return errors.As(err, &gone)
}

// HistoryNotes say what is to be known of a history: of a page of so many rows, of which last
// says that nothing follows.
func HistoryNotes(h *history.History, last bool, rows int, field string) (notes []string) {
	if h.Detached != "" {
		notes = append(
			notes, fmt.Sprintf("HEAD is detached: this is the history of commit %s.", history.ShortCommit(h.Detached)),
		)
	}
	switch {
	case h.Untracked:
		notes = append(notes, "git has no commit with this document.")
	case rows == 0 && !last:
		notes = append(notes, "The versions read so far have no such change.")
	case rows == 0 && field != "":
		notes = append(
			notes, fmt.Sprintf("No change of %s is known; without field all changes are shown.", words.Quote(field)),
		)
	case rows == 0:
		notes = append(notes, "No change is known.")
	}
	if last && h.Shallow {
		notes = append(notes, "The clone is shallow: it lacks what was before (git fetch --unshallow gets it).")
	}
	if last && h.CutAt != "" {
		at := history.ShortCommit(h.CutAt)
		notes = append(
			notes,
			fmt.Sprintf(
				"There are more commits than are read, and what is older than %s is left out: git log %s shows it.", at, at,
			),
		)
	}
	return notes
}

// HistoryChanges words the changes of an entry, at most so many of them and with values of so
// many characters.
func HistoryChanges(e history.HistoryEntry, length, most int) []string {
	texts := []string{}
	said := map[string]bool{}
	for _, c := range e.Changes {
		text := words.Line(historyChange(e, c, length))
		if said[text] {
			continue
		}
		said[text] = true
		texts = append(texts, text)
	}
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf("and %d more", more))
	}
	return texts
}

// historyChange words one change. Boxes of one state, and sections, are worded together, by
// the first of them.
func historyChange(e history.HistoryEntry, c history.HistoryChange, length int) string {
	by := ""
	switch {
	case e.Merge && c.Merged:
		by = " (merged)"
	case e.Merge:
		by = " (by the merge itself)"
	}
	field := words.Cut(words.OneLine(c.Field), length)
	switch c.Field {
	case history.Text:
		return textChange(e, c.Merged, length) + by
	case history.Boxes:
		var boxes []string
		for _, other := range e.Changes {
			if other.Field == c.Field && other.To == c.To && other.Merged == c.Merged {
				boxes = append(boxes, words.Cut(words.OneLine(other.Part), length))
			}
		}
		return c.To + ": " + strings.Join(boxes, ", ") + by
	case history.Formatting:
		return "formatting or times only" + by
	case history.LineEnds:
		field = "line ends"
	case history.Path:
		if c.From == "" || c.To == "" {
			return "path: " + words.Cut(PathText(cmp.Or(c.To, c.From)), 2*length) + by
		}
		from, to := c.From, c.To
		switch { // what stays is left out
		case path.Base(from) == path.Base(to):
			from, to = path.Dir(from)+"/", path.Dir(to)+"/"
		case path.Dir(from) == path.Dir(to):
			from, to = path.Base(from), path.Base(to)
		}
		return fmt.Sprintf("path: %s → %s", words.Cut(PathText(from), 2*length), words.Cut(PathText(to), 2*length)) + by
	case history.Frontmatter:
		if c.To == "" {
			return "frontmatter: can be read again" + by
		}
		return "frontmatter: cannot be read: " + words.Cut(words.OneLine(c.To), 2*length) + by
	}
	return fmt.Sprintf("%s: %s → %s", field, ValueText(c.From, length), ValueText(c.To, length)) + by
}

// textChange words the sections that were changed, those that a merge took over or the others.
func textChange(e history.HistoryEntry, merged bool, length int) string {
	const mostSections = 5
	var sections []string
	added, removed, more := 0, 0, 0
	for _, c := range e.Changes {
		if c.Field != history.Text || c.Merged != merged {
			continue
		}
		added, removed = added+c.Added, removed+c.Removed
		if len(sections) == mostSections {
			more++
			continue
		}
		sections = append(
			sections, fmt.Sprintf("%s +%d -%d", cmp.Or(words.Cut(words.OneLine(c.Part), length), "(top)"), c.Added, c.Removed),
		)
	}
	text := fmt.Sprintf("text: +%d -%d lines", added, removed)
	if len(sections) == 1 {
		return text + " in " + strings.TrimSuffix(sections[0], fmt.Sprintf(" +%d -%d", added, removed))
	}
	if more > 0 {
		sections = append(sections, fmt.Sprintf("and %d more", more))
	}
	return text + " (" + strings.Join(sections, ", ") + ")"
}
