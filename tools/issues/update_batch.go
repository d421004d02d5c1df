package issues

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"issues-index/index/edit"
	"issues-index/store"
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
	Error   string   `json:"error,omitempty"`
}

func updateBatch(w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_update_batch",
		Description: "Update up to 50 issues at once. Writes. " +
			"Each item succeeds or fails alone; what failed is named.",
		Idempotent: true,
		Input: tools.ObjectSchema(`"updates":{"type":"array","maxItems":50,"items":`+
			string(tools.ObjectSchema(`"id":`+anyText+`,"status":`+statusEnum+`,"priority":`+priorityEnum+`,`+ownFields, "id"))+`}`, "updates"),
		Output: tools.ObjectSchema(`"succeeded":`+number+`,"failed":`+number+`,"results":{"type":"array","items":{"type":"object","properties":{"id":`+anyText+`,"ok":{"type":"boolean"},"error":`+anyText+`}}}`,
			"succeeded", "failed", "results"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			items := args.Items("updates", maxBatch, "id", "id", "status", "priority", "labels", "assignee", "project")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			ids := make([]string, len(items))
			done := make([]edit.Written, len(items))
			failures := make([]error, len(items))
			var sound []edit.Item
			var places []int // in items, of those that are sound
			for i, item := range items {
				id := item.Required("id")
				fields := readFields(item)
				ids[i] = id
				if failures[i] = item.Err(); failures[i] == nil {
					sound, places = append(sound, edit.Item{ID: id, Change: always(fields)}), append(places, i)
				}
			}
			outcomes, err := w.UpdateAll(ctx, sound)
			if err != nil {
				return tools.Result{}, err
			}
			for k, o := range outcomes {
				i := places[k]
				done[i], failures[i] = o.Written, o.Err
			}
			if len(outcomes) > 0 {
				noteBehind(args, outcomes[0].Written.Behind)
			}
			if !slices.Contains(failures, nil) {
				return tools.Result{}, allFailed(ids, failures)
			}
			return args.Smaller(len(batchLevels)-1, func(n int) tools.Result {
				b := batchLevels[n].batch(ids, done, failures)
				return tools.Result{Text: b.text(), Structured: b, Items: len(b.Results)}
			}), nil
		},
	}
}

// allFailed is the error of a batch in which nothing was done: an answer would look
// like a success to a caller who reads no further than its beginning.
func allFailed(ids []string, failures []error) error {
	code := tools.ErrorOf(failures[0]).Code
	lines := make([]string, len(failures))
	advised := make(map[string]bool)
	for i, err := range failures {
		if tools.ErrorOf(err).Code != code {
			code = tools.CodeValidation
		}
		lines[i] = itemResult{ID: ids[i]}.who(i) + ": " + batchLevels[1].failure(err, advised)
	}
	return tools.Errorf(code, "None of %d updates was done; nothing was changed.", len(failures)).
		Try("Correct them and call again:").Among(lines...)
}

// A batchLevel is how much an answer to many changes still shows. What failed
// goes last.
type batchLevel struct {
	id         int  // characters of an id
	err        int  // characters of an error
	candidates int  // documents that an error lists
	changes    bool // what was changed in an item, and where its file went
	successes  bool // items that were done
	failures   int  // items that were not
}

var batchLevels = []batchLevel{
	{math.MaxInt, math.MaxInt, math.MaxInt, true, true, maxBatch},
	{120, 160, 2, true, true, maxBatch},
	{80, 100, 0, false, true, maxBatch},
	{80, 100, 0, false, false, maxBatch},
	{40, 60, 0, false, false, 25},
	{40, 60, 0, false, false, 10},
	{40, 40, 0, false, false, 3},
	{20, 20, 0, false, false, 1},
}

// batch tells what became of each item. Advice is given once, to the first who
// needs it.
func (l batchLevel) batch(ids []string, done []edit.Written, failures []error) batchUpdate {
	b := batchUpdate{Results: []itemResult{}}
	advised := make(map[string]bool)
	for i, err := range failures {
		r := itemResult{ID: cut(ids[i], l.id), OK: err == nil}
		if !l.successes {
			r.Item = &i
		}
		if err != nil {
			b.Failed++
			if b.Failed > l.failures {
				continue
			}
			b.failed = append(b.failed, r.who(i))
			r.Error = l.failure(err, advised)
		} else {
			b.Succeeded++
			if !l.successes {
				continue
			}
			r.Changes = changesOf(changesIn(done[i]), batchLength, l.id)
			if !l.changes {
				r.Changes = fieldsOf(changesIn(done[i]), l.id)
			} else if done[i].Path != done[i].OldPath {
				r.Path = done[i].Path
			}
		}
		b.Results = append(b.Results, r)
	}
	switch {
	case !l.successes:
		b.Note = sentences("Only failures are listed.", l.more(b.Failed))
	case !l.changes:
		b.Note = "Values and paths are left out; issues_get shows them."
	}
	return b
}

func (l batchLevel) more(failed int) string {
	if failed <= l.failures {
		return ""
	}
	return fmt.Sprintf("%d more failed; call again with fewer updates to see why.", failed-l.failures)
}

// failure tells why an item failed.
func (l batchLevel) failure(err error, advised map[string]bool) string {
	e := tools.ErrorOf(err)
	text := fmt.Sprintf("[%s] %s", e.Code, e.Message)
	if !advised[e.Remediation] {
		advised[e.Remediation] = true
		text += " " + e.Remediation
	}
	shown := e.Candidates[:min(len(e.Candidates), l.candidates)]
	text = strings.Join(append([]string{cut(text, l.err)}, shown...), "\n")
	if left := e.More + len(e.Candidates) - len(shown); left > 0 && len(shown) > 0 {
		text += fmt.Sprintf("\nand %d more", left)
	}
	return text
}

// fieldsOf names the fields that were changed.
func fieldsOf(changes []store.FieldChange, length int) []string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = cut(line(c.Field), length)
	}
	return names
}

// who names an item in a sentence; i is its place.
func (r itemResult) who(i int) string {
	if who := name(line(r.ID)); who != "" {
		return who
	}
	return fmt.Sprintf("updates[%d]", i)
}

// text is what failed by name, then a line an item.
func (b batchUpdate) text() string {
	failed := make([]string, len(b.failed))
	for i, who := range b.failed {
		failed[i] = cut(who, batchLength)
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
		lines = append(lines, who)
	}
	first := fmt.Sprintf("%d of %d updated.", b.Succeeded, b.Succeeded+b.Failed)
	if len(failed) > 0 {
		first += " Failed: " + strings.Join(failed, ", ") + andMore(b.Failed-len(failed)) + "."
	}
	return strings.Join(append([]string{sentences(first, b.Note)}, lines...), "\n")
}
