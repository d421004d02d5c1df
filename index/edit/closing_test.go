package edit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
)

func TestClosingNamesTheOpenBoxes(t *testing.T) {
	document := func(status, body string) *store.Document {
		d := &store.Document{Body: body}
		d.Status = status
		return d
	}
	const many = "- [ ] a\n- [ ] b\n- [x] c\n- [ ] d\n- [ ] e\n- [ ] f\n- [ ] g\n"
	for _, c := range []struct {
		name          string
		before, after *store.Document
		want          string
	}{
		{"one", document("open", ""), document("closed", "- [x] a\n- [ ] Write *tests*\n"), `1 box is still open: 2 "Write *tests*"`},
		{"the first five of many", document("", ""), document("closed", many), `6 boxes are still open: 1 "a", 2 "b", 4 "d", 5 "e", 6 "f" and 1 more`},
		{"each cut", document("open", ""), document("closed", "- [ ] "+strings.Repeat("long ", 40)), `1 box is still open: 1 "` + strings.Repeat("long ", 11) + `long…"`},
		{"none where all are checked", document("open", ""), document("closed", "- [x] a\n"), ""},
		{"none of cancelled work", document("open", ""), document("cancelled", many), ""},
		{"none of what was closed before", document("closed", ""), document("closed", many), ""},
		{"none of a new document", nil, document("closed", many), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(Applied{Written: store.Written{Before: c.before, After: c.after}}.ClosingNotes(), "\n")
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestClosingNamesWhatItLeavesAndFrees closes documents one by one and together.
func TestClosingNamesWhatItLeavesAndFrees(t *testing.T) {
	t.Parallel()
	close := func(doc *store.Document) (store.Fields, error) { return store.Fields{Status: new("closed")}, nil }
	titles := regexp.MustCompile(`"The title of [^"]*"`)
	lists := func(t *testing.T) workspace {
		root := t.TempDir()
		for id, links := range map[string]string{
			"ISS-000001": "",
			"ISS-000002": "dependsOn: [ISS-000001]\npriority: low",
			"ISS-000003": "dependsOn: [ISS-000001, ISS-000006]",
			"ISS-000004": "parent: ISS-000001",
			"ISS-000005": "parent: ISS-000002\npriority: high",
			"ISS-000006": "parent: ISS-000007",
			"ISS-000007": "",
		} {
			put(t, root, issuePath(id), id, "open\ncreatedAt: 2026-01-0"+id[len(id)-1:]+"\n"+links)
		}
		return serve(t, root, index.Options{Mode: index.ModeVerify})
	}
	notes := func(t *testing.T, w workspace, ids ...string) (all []string) {
		t.Helper()
		var items []BatchItem
		for _, id := range ids {
			items = append(items, BatchItem{DocumentRef{ID: id}, close})
		}
		done, err := w.UpdateAll(t.Context(), items)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range done {
			for _, note := range d.Written.ClosingNotes() {
				all = append(all, ids[i]+": "+titles.ReplaceAllString(note, `"T"`))
			}
		}
		return all
	}
	t.Run("one after the other", func(t *testing.T) {
		w := lists(t)
		for _, step := range []struct {
			id   string
			want []string
		}{
			{"ISS-000001", []string{`ISS-000001: 1 child is still open: ISS-000004 "T"`, `ISS-000001: ready now: ISS-000005 "T"`}},
			{"ISS-000001", nil},
			{"ISS-000006", []string{`ISS-000006: ready now: ISS-000003 "T", ISS-000007 "T"`}},
			{"ISS-000004", nil},
			{"ISS-000005", []string{`ISS-000005: ready now: ISS-000002 "T"`}},
		} {
			if got := notes(t, w, step.id); !slices.Equal(got, step.want) {
				t.Errorf("%s: %q, want %q", step.id, got, step.want)
			}
		}
	})
	t.Run("together, which the last one says once", func(t *testing.T) {
		want := []string{`ISS-000002: 1 child is still open: ISS-000005 "T"`, `ISS-000006: ready now: ISS-000005 "T", ISS-000003 "T", ISS-000007 "T"`}
		if got := notes(t, lists(t), "ISS-000001", "ISS-000004", "ISS-000002", "ISS-000006"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("the first five of many", func(t *testing.T) {
		root := t.TempDir()
		put(t, root, issuePath("ISS-000001"), "ISS-000001", "open")
		for n := 2; n <= 9; n++ {
			put(t, root, issuePath(issueID(n)), issueID(n), fmt.Sprintf("open\ncreatedAt: 2026-01-0%d\ndependsOn: [ISS-000001]", n))
		}
		got := notes(t, serve(t, root, index.Options{Mode: index.ModeVerify}), "ISS-000001")
		if want := fmt.Sprintf("ISS-000001: ready now: %s and 3 more", `ISS-000002 "T", ISS-000003 "T", ISS-000004 "T", ISS-000005 "T", ISS-000006 "T"`); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
