package issues

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store/words"
	"issues-index/tools"
)

// A batchUpdate answers issues_update_batch: each item in the order given.
type batchUpdate struct {
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`
	Results   []itemResult `json:"results"`
	Note      string       `json:"note,omitempty"`

	failed []string // the ids
}

type itemResult struct {
	Item    *int     `json:"item,omitempty"` // its place in updates, from 0, when not all results are shown
	ID      string   `json:"id"`             // as given
	OK      bool     `json:"ok"`
	Changes []string `json:"changes,omitempty"` // absent when nothing was to change
	Path    string   `json:"path,omitempty"`    // where the file is now, if it moved
	Note    string   `json:"note,omitempty"`
	Error   string   `json:"error,omitempty"`
}

func updateBatch(ix *index.Index, w *edit.Writer) tools.Tool {
	l := layoutOf(ix)
	return tools.Tool{
		Name: "issues_update_batch",
		Description: "Update up to 50 issues at once. Writes. " +
			"Each succeeds or fails alone.",
		Idempotent: true,
		Input: tools.ObjectSchema(`"updates":{"type":"array","items":`+
			string(tools.ObjectSchema(`"id":`+anyText+`,"status":`+statusEnum(l)+`,"priority":`+priorityEnum(l)+`,`+ownFields+
				`,`+ifVersion, "id"))+`}`, "updates"),
		IDs: []string{"updates.id", "updates.dependsOn", "updates.addDependsOn", "updates.removeDependsOn", "updates.parent"},
		TakesIn: map[string][]string{
			"updates": append([]string{"dependsOn", "addDependsOn", "removeDependsOn", "parent"}, labelChanges...),
		},
		Output: tools.ObjectSchema(`"succeeded":`+number+`,"failed":`+number+
			`,"results":{"type":"array","items":{"type":"object","properties":{"id":`+anyText+
			`,"ok":{"type":"boolean"},"error":`+anyText+`}}}`,
			"succeeded", "failed", "results"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			items := args.Items("updates", maxBatch, "id")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			named := namingOf(args)
			ids := make([]string, len(items))
			results := make([]edit.BatchResult, len(items))
			var sound []edit.BatchItem
			var places []int // in items, of those that are sound
			for i, item := range items {
				ref := readRef(item)
				ids[i] = named.given(ref.ID)
				fields := readFields(item, l)
				if results[i].Err = item.Err(); results[i].Err == nil {
					sound, places = append(sound, edit.BatchItem{DocumentRef: ref, Change: always(fields)}), append(places, i)
				}
			}
			done, err := w.UpdateAll(ctx, sound)
			if err != nil {
				return tools.Result{}, err
			}
			for k, result := range done {
				results[places[k]] = edit.BatchResult{Written: named.applied(result.Written), Err: named.failure(result.Err)}
			}
			if len(done) > 0 {
				noteBehind(args, done[0].Written.Behind)
			}
			if !slices.ContainsFunc(results, func(r edit.BatchResult) bool { return r.Err == nil }) {
				return tools.Result{}, allFailed(ids, results)
			}
			r := batchResult(ids, results, false)
			if args.Budget().Summarization && !args.Fits(r) {
				whole := r.Size()
				r = batchResult(ids, results, true)
				r.Outcome, r.Original = tools.OutcomeSummarized, whole
			}
			return r, nil
		},
	}
}

// allFailed is the error of a batch in which nothing was done: an answer would look
// like a success to a caller who reads no further than its beginning.
func allFailed(ids []string, results []edit.BatchResult) error {
	code := tools.ErrorOf(results[0].Err).Code
	lines := make([]string, len(results))
	advised := make(map[string]bool)
	for i, r := range results {
		if tools.ErrorOf(r.Err).Code != code {
			code = tools.CodeValidation
		}
		lines[i] = itemResult{ID: ids[i]}.who(i) + ": " + failureText(r.Err, advised, true)
	}
	return tools.Errorf(code, "None of %d updates was done; nothing was changed.", len(results)).
		Try("Correct them and call again:").Among(lines...)
}

// batchResult tells what became of each item. Advice is given once, to the first who
// needs it. In brief what failed comes first, so that it is the last to be cut, and of
// the others only the names of the fields that were changed.
func batchResult(ids []string, done []edit.BatchResult, brief bool) tools.Result {
	b := batchUpdate{Results: []itemResult{}}
	advised := make(map[string]bool)
	for i, d := range done {
		r := itemResult{ID: ids[i], OK: d.Err == nil}
		if brief {
			r.Item, r.ID = &i, words.Cut(r.ID, batchLength)
		}
		switch changes := changesIn(d.Written); {
		case d.Err != nil:
			b.Failed++
			b.failed = append(b.failed, r.who(i))
			r.Error = failureText(d.Err, advised, brief)
		case brief:
			b.Succeeded++
			r.Note = words.Cut(noteOf(d.Written), batchLength)
			for _, c := range changes {
				r.Changes = append(r.Changes, words.Cut(words.OneLine(c.Field), batchLength))
			}
		default:
			b.Succeeded++
			r.Changes, r.Note = changesOf(changes, batchLength), noteOf(d.Written)
			if d.Written.Path != d.Written.OldPath {
				r.Path = d.Written.Path
			}
		}
		b.Results = append(b.Results, r)
	}
	if brief {
		b.Results = slices.Concat(only(b.Results, false), only(b.Results, true))
		b.Note = "Failures come first. Values and paths are left out; issues_get shows them."
	}
	return tools.Result{Text: b.text(), Structured: b, Items: len(b.Results)}
}

// noteOf says what is to be known of an item besides its changes.
func noteOf(done edit.Applied) string {
	return words.Notes(append([]string{done.Claim.Says(documents.Stamp)}, done.ClosingNotes()...)...)
}

// only returns the results of the items that were done, or of those that failed.
func only(results []itemResult, ok bool) []itemResult {
	return slices.DeleteFunc(slices.Clone(results), func(r itemResult) bool { return r.OK != ok })
}

// failureText tells why an item failed.
func failureText(err error, advised map[string]bool, brief bool) string {
	const length, most = 160, 2 // characters, candidates
	e := tools.ErrorOf(err)
	text := fmt.Sprintf("[%s] %s", e.Code, e.Message)
	if !advised[e.Remediation] {
		advised[e.Remediation] = true
		text += " " + e.Remediation
	}
	shown := e.Candidates
	if brief {
		text, shown = words.Cut(text, length), shown[:min(len(shown), most)]
	}
	text = strings.Join(append([]string{text}, shown...), "\n")
	if left := e.More + len(e.Candidates) - len(shown); left > 0 && len(shown) > 0 {
		text += fmt.Sprintf("\nand %d more", left)
	}
	return text
}

// who names an item in a sentence; i is its place.
func (r itemResult) who(i int) string {
	if who := documents.Name(words.OneLine(r.ID)); who != "" {
		return who
	}
	return fmt.Sprintf("updates[%d]", i)
}

// text is what failed by name, then a line an item.
func (b batchUpdate) text() string {
	failed := make([]string, len(b.failed))
	for i, who := range b.failed {
		failed[i] = words.Cut(who, batchLength)
	}
	var lines []string
	for i, r := range b.Results {
		if r.Item != nil {
			i = *r.Item
		}
		who := r.who(i)
		switch {
		case !r.OK:
			who += " failed: " + r.Error
		case len(r.Changes) == 0:
			who += " No changes"
		default:
			who += " " + strings.Join(r.Changes, ", ")
		}
		if r.Path != "" {
			who += ", now " + r.Path
		}
		if r.Note != "" {
			who += "; " + r.Note
		}
		lines = append(lines, who)
	}
	first := fmt.Sprintf("%d of %d updated.", b.Succeeded, b.Succeeded+b.Failed)
	if len(failed) > 0 {
		first += " Failed: " + strings.Join(failed, ", ") + "."
	}
	return strings.Join(append([]string{sentences(first, b.Note)}, lines...), "\n")
}
