package issues

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index/writing"
	"issues-index/tools"
)

// A batchUpdate answers issues_update_batch: each item in the order given.
type batchUpdate struct {
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`
	Results   []itemResult `json:"results"`
}

type itemResult struct {
	ID      string   `json:"id"` // as given
	OK      bool     `json:"ok"`
	Changes []string `json:"changes,omitempty"` // absent when nothing was to change
	Path    string   `json:"path,omitempty"`    // where the file is now, if it moved
	Error   string   `json:"error,omitempty"`
}

func updateBatch(w *writing.Writer) tools.Tool {
	return tools.Tool{
		Name: "issues_update_batch",
		Description: "Change fields of up to 50 documents. Writes. " +
			"Each item succeeds or fails alone; what failed is named.",
		Idempotent: true,
		Input: schema(`"updates":{"type":"array","maxItems":50,"items":`+
			string(schema(`"id":`+anyText+`,"status":`+statusEnum+`,"priority":`+priorityEnum+`,`+ownFields, "id"))+`}`, "updates"),
		Output: schema(`"succeeded":`+number+`,"failed":`+number+`,"results":{"type":"array","items":`+issueObject+`}`,
			"succeeded", "failed", "results"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			items := args.Items("updates", maxBatch, "id", "id", "status", "priority", "labels", "assignee", "project")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			b := batchUpdate{Results: make([]itemResult, len(items))}
			failures := make([]error, len(items))
			var sound []writing.Item
			var places []int // in items, of those that are sound
			for i, item := range items {
				id := item.Required("id")
				fields := readFields(item)
				b.Results[i].ID = id
				if failures[i] = item.Err(); failures[i] == nil {
					sound, places = append(sound, writing.Item{ID: id, Change: always(fields)}), append(places, i)
				}
			}
			outcomes, err := w.UpdateAll(ctx, sound)
			if err != nil {
				return tools.Result{}, err
			}
			for k, o := range outcomes {
				i := places[k]
				if failures[i] = o.Err; o.Err == nil {
					b.Results[i].revised(o.Written)
				}
			}
			if len(outcomes) > 0 {
				noteBehind(args, outcomes[0].Written.Behind)
			}
			b.count(failures)
			return tools.Result{Text: b.text(), Structured: b}, nil
		},
	}
}

func (r *itemResult) revised(done writing.Written) {
	r.OK = true
	r.Changes = changesOf(done.Changes, batchLength)
	if done.Path != done.OldPath {
		r.Path = done.Path
	}
}

// count tells the failures. Advice is given once, to the first who needs it.
func (b *batchUpdate) count(failures []error) {
	advised := make(map[string]bool)
	for i, err := range failures {
		if err == nil {
			b.Succeeded++
			continue
		}
		b.Failed++
		e := tools.ErrorOf(err)
		text := fmt.Sprintf("[%s] %s", e.Code, e.Message)
		if !advised[e.Remediation] {
			advised[e.Remediation] = true
			text += " " + e.Remediation
		}
		b.Results[i].Error = strings.Join(append([]string{text}, e.Candidates...), "\n")
	}
}

// text is what failed by name, then a line an item.
func (b batchUpdate) text() string {
	var failed []string
	var lines []string
	for i, r := range b.Results {
		who := name(line(r.ID))
		if who == "" {
			who = fmt.Sprintf("updates[%d]", i)
		}
		switch {
		case !r.OK:
			failed = append(failed, cut(who, batchLength))
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
	first := fmt.Sprintf("%d of %d updated.", b.Succeeded, len(b.Results))
	if len(failed) > 0 {
		first += " Failed: " + strings.Join(failed, ", ") + "."
	}
	return strings.Join(append([]string{first}, lines...), "\n")
}
