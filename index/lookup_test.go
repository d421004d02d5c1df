package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issues-index/index/db"
	"issues-index/store"
)

// looked says what came of looking an id up: the path, "ambiguous: " and every
// candidate's path, "refused", or "nothing".
func (k *kit) looked(ix *Index, id string) string {
	k.Helper()
	row, err := ix.Get(context.Background(), id)
	var (
		ambiguous *AmbiguousError
		notFound  *NotFoundError
		refused   *store.PathError
	)
	switch {
	case err == nil:
		return row.Path
	case errors.As(err, &ambiguous):
		return "ambiguous: " + strings.Join(rowPaths(ambiguous.Candidates), " ")
	case errors.As(err, &notFound):
		if notFound.ID != strings.TrimSpace(id) {
			k.Errorf("the error names %q, not %q", notFound.ID, id)
		}
		return "nothing"
	case errors.As(err, &refused):
		return "refused"
	}
	k.Fatalf("look up %q: %v", id, err)
	return ""
}

func TestLookup(t *testing.T) {
	const issues, specs = ".wrangler/issues/", ".wrangler/specifications/"
	k := newKit(t)
	for path, content := range map[string]string{
		issues + "ISS-000042-fix.md":     "---\nid: ISS-000042\n---\n",
		issues + "000028-legacy.md":      "---\nid: 000028\n---\n",
		issues + "007.md":                "---\nid: 007\n---\n",
		issues + "ISS-000007.md":         "---\nid: ISS-000007\n---\n",
		issues + "stem-only.md":          "No frontmatter.\n",
		issues + "shout.MD":              "No frontmatter.\n",
		issues + "archived/twin.md":      "---\nid: ISS-000050\n---\n",
		issues + "twin.md":               "---\nid: ISS-000050\n---\n",
		specs + "SPEC-000051-plan.md":    "---\nid: SPEC-000051\n---\n",
		issues + "ISS-000051.md":         "---\nid: ISS-000051\n---\n",
		issues + "lower.md":              "---\nid: iss-60\n---\n",
		issues + "upper.md":              "---\nid: ISS-000060\n---\n",
		issues + "iss-61.md":             "---\nid: iss-61\n---\n",
		issues + "named-otherwise.md":    "---\nid: upper\n---\n",
		issues + "task-12.md":            "---\nid: task-12\n---\n",
		issues + "task-12.3.md":          "---\nid: task-12.3\n---\n",
		issues + "BACK-535.2 - Title.md": "---\nid: BACK-535.2\n---\n",
		issues + "größe.md":              "---\nid: GRÖSSE-1\n---\n",
		issues + "zeros.md":              "---\nid: ISS-000000\n---\n",
		issues + "ISS-k3f9q.md":          "---\nid: ISS-k3f9q\n---\n",
		specs + "SPEC-k3f9q.md":          "---\nid: SPEC-k3f9q\n---\n",
	} {
		k.put(path, content)
	}
	ix := k.open(Options{})

	for _, c := range []struct{ says, id, want string }{
		{"the exact id", "ISS-000042", issues + "ISS-000042-fix.md"},
		{"a number as it was written", "000028", issues + "000028-legacy.md"},
		{"an exact id before a number that also fits", "007", issues + "007.md"},
		{"an id before a stem that also fits", "upper", issues + "named-otherwise.md"},
		{"blanks around it aside", "  ISS-000042\n", issues + "ISS-000042-fix.md"},
		{"a path", issues + "twin.md", issues + "twin.md"},
		{"a path from the dot", "./" + issues + "twin.md", issues + "twin.md"},
		{"a path without its ending", issues + "archived/twin", issues + "archived/twin.md"},
		{"a stem", "ISS-000042-fix", issues + "ISS-000042-fix.md"},
		{"a file's name", "ISS-000042-fix.md", issues + "ISS-000042-fix.md"},
		{"a file's name with a loud ending", "shout.MD", issues + "shout.MD"},
		{"a file's name with blanks", "BACK-535.2 - Title.md", issues + "BACK-535.2 - Title.md"},
		{"a stem that two have", "twin", "ambiguous: " + issues + "archived/twin.md " + issues + "twin.md"},
		{"an id that two have", "ISS-000050", "ambiguous: " + issues + "archived/twin.md " + issues + "twin.md"},
		{"another case and no zeros", "iss-42", issues + "ISS-000042-fix.md"},
		{"more zeros", "Iss-0000000042", issues + "ISS-000042-fix.md"},
		{"fewer zeros of a bare id", "28", issues + "000028-legacy.md"},
		{"a bare id's number before a prefixed one", "7", issues + "007.md"},
		{"another case beyond ASCII", "größe-1", "nothing"}, // ß and SS are not one letter in another case
		{"another case of an umlaut", "grÖsse-01", issues + "größe.md"},
		{"zeros in the middle of an id as they are written", "task-12.03", issues + "task-12.3.md"},
		{"an exact id where a looser reading fits two", "iss-60", issues + "lower.md"},
		{"a looser reading that fits two", "Iss-060", "ambiguous: " + issues + "lower.md " + issues + "upper.md"},
		{"a bare number that fits one", "42", issues + "ISS-000042-fix.md"},
		{"a bare number with zeros", "000061", issues + "iss-61.md"},
		{"a bare number that fits two", "51", "ambiguous: " + issues + "ISS-000051.md " + specs + "SPEC-000051-plan.md"},
		{"a bare hash that fits two", "k3f9q", "ambiguous: " + issues + "ISS-k3f9q.md " + specs + "SPEC-k3f9q.md"},
		{"a task's number, not its part's", "12", issues + "task-12.md"},
		{"the number of a part", "12.3", issues + "task-12.3.md"},
		{"the number of a part with zeros", "012.03", issues + "task-12.3.md"},
		{"the number of a part, of any prefix", "535.2", issues + "BACK-535.2 - Title.md"},
		{"the number of a part without that of the whole", "3", "nothing"},
		{"numbers with too many points", "12..3", "nothing"},
		{"an id in a sentence's marks", "`ISS-000042`,", issues + "ISS-000042-fix.md"},
		{"an id with the ending of a file", "ISS-000042.md", issues + "ISS-000042-fix.md"},
		{"a number behind #", "#42", issues + "ISS-000042-fix.md"},
		{"a number behind the word issue", "Issue #42", issues + "ISS-000042-fix.md"},
		{"the word issue decides between kinds", "issue 51", issues + "ISS-000051.md"},
		{"the word spec does too", "spec 51", specs + "SPEC-000051-plan.md"},
		{"the word spec does not mean an issue", "spec 42", "nothing"},
		{"an id without its hyphen", "ISS42", issues + "ISS-000042-fix.md"},
		{"an id with a blank for its hyphen", "iss 42", issues + "ISS-000042-fix.md"},
		{"a prefix that nothing has", "task-42", "nothing"},
		{"a path out of the workspace in marks", "`../x`", "refused"},
		{"nothing but zeros", "0", issues + "zeros.md"},
		{"an id that nothing has", "ISS-000099", "nothing"},
		{"a number that nothing has", "99", "nothing"},
		{"a part of an id", "ISS-", "nothing"},
		{"nothing at all", "", "nothing"},
		{"a wildcard", "ISS-%", "nothing"},
		{"a quote", "' OR 1=1 --", "nothing"},
		{"two dots in a name", "a..b", "nothing"},
		{"a path that leads upwards", "../" + issues + "twin.md", "refused"},
		{"a path that leads up and back again", issues + "../issues/twin.md", "refused"},
		{"a name after a way upwards", "x/../twin", "refused"},
		{"a way upwards with backslashes", `..\..\secret`, "refused"},
		{"an absolute path", "/etc/passwd", "refused"},
		{"an absolute path into the workspace", k.absolute(issues + "twin.md"), issues + "twin.md"},
		{"an absolute path into the workspace that leads upwards", k.absolute(issues) + "/../issues/twin.md", "refused"},
		{"an absolute path of another system", `C:\Windows\win.ini`, "refused"},
		{"a path on another machine", `\\server\share\x.md`, "refused"},
		{"a NUL byte", "ISS-000042\x00", "refused"},
		{"a long nothing", strings.Repeat("9", 1<<16), "nothing"},
	} {
		t.Run(fmt.Sprintf("%s: %.40q", c.says, c.id), func(t *testing.T) {
			k := k.within(t)
			if got := k.looked(ix, c.id); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			// Whatever paths an answer names are good for asking again.
			if paths, ok := strings.CutPrefix(c.want, "ambiguous: "); ok {
				for path := range strings.SplitSeq(paths, " ") {
					if got := k.looked(ix, path); got != path {
						t.Errorf("%s leads to %s", path, got)
					}
				}
			}
		})
	}

	t.Run("a stem below a folder that is not its own: nothing", func(t *testing.T) {
		if got := k.looked(ix, ".wrangler/issues/elsewhere/ISS-000042-fix.md"); got != "nothing" {
			t.Error(got)
		}
	})

	t.Run("several at once, each with its own outcome and in the order asked", func(t *testing.T) {
		found, err := ix.GetBatch(context.Background(), []string{"iss-42", "99", "ISS-000050", "../x", "iss-42"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range found {
			got = append(got, fmt.Sprintf("%s %s %T", one.ID, one.Row.ID, one.Err))
		}
		want := []string{
			"iss-42 ISS-000042 <nil>", "99  *index.NotFoundError", "ISS-000050  *index.AmbiguousError", "../x  *store.PathError", "iss-42 ISS-000042 <nil>",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})

	t.Run("a row says when another document has its id", func(t *testing.T) {
		for path, shared := range map[string]bool{issues + "twin.md": true, issues + "ISS-000042-fix.md": false} {
			if row, err := ix.Get(context.Background(), path); err != nil || row.Shared != shared {
				t.Errorf("%s: shared %t, %v", path, row.Shared, err)
			}
		}
	})
}

// Where documents lie at the root, a path looks like a file's name.
func TestLookupByPathAtTheRoot(t *testing.T) {
	k := kitAt(t, t.TempDir(), map[string]string{"WRANGLER_ISSUES_DIRECTORY": "."})
	for _, path := range []string{"a.md", "archived/a.md"} {
		k.put(path, "Text.\n")
	}
	ix := k.open(Options{Path: db.MemoryPath})
	for _, path := range []string{"a.md", "archived/a.md"} {
		if got := k.looked(ix, path); got != path {
			t.Errorf("%s leads to %s", path, got)
		}
	}
	if got, want := k.looked(ix, "a"), "ambiguous: a.md archived/a.md"; got != want {
		t.Errorf("a leads to %s, not %s", got, want)
	}
}

func TestLookupKnowsFormerIDs(t *testing.T) {
	k := newKit(t)
	k.put(".wrangler/issues/ISS-000002-two.md", "---\nid: ISS-000002\ntitle: Two\nformerIds: [ISS-000001, ISS-000009]\n---\n")
	k.put(".wrangler/issues/ISS-000003-three.md", "---\nid: ISS-000003\ntitle: Three\nformerIds: ISS-000009\n---\n")
	ix := k.open(Options{})
	for id, want := range map[string][]string{
		"ISS-000001": {"ISS-000002"}, "iss-000001": {"ISS-000002"}, "`ISS-000001`.": {"ISS-000002"},
		"ISS-000009": {"ISS-000002", "ISS-000003"}, "ISS-000004": nil,
	} {
		_, err := ix.Get(context.Background(), id)
		var notFound *NotFoundError
		if !errors.As(err, &notFound) || !slices.Equal(notFound.Renumbered, want) {
			t.Errorf("%s: %v, renumbered to %q", id, err, notFound.Renumbered)
		}
	}
}

func TestLookupSuggestsNearMisses(t *testing.T) {
	k := newKit(t)
	for _, id := range []string{"ISS-000090", "ISS-000097", "ISS-000098", "ISS-000110", "SPEC-000120", "IDEA-000120", "task-12", "task-14", "note"} {
		k.add(paper{id: id})
	}
	ix := k.open(Options{})
	for _, c := range []struct {
		says, id string
		want     []string
	}{
		{"the neighbours of the same kind, the one before first", "ISS-000099", []string{"ISS-000098", "ISS-000097", "ISS-000090"}},
		{"what begins like it", "ISS-00009", []string{"ISS-000090", "ISS-000097", "ISS-000098"}},
		{"neighbours in another case than they are asked for", "iss-000099", []string{"ISS-000098", "ISS-000097", "ISS-000090"}},
		{"neighbours whose ids are in lower case", "task-13", []string{"task-12", "task-14"}},
		{"one with two digits exchanged", "SPEC-000210", []string{"SPEC-000120"}},
		{"one with a digit missing", "ISS-000011", []string{"ISS-000110"}},
		{"one with a digit too many", "ISS-0000998", []string{"ISS-000098"}},
		{"of any kind for a number alone", "121", []string{"IDEA-000120", "SPEC-000120", "task-12"}},
		{"not the last id for one far above it", "ISS-999999", nil},
		{"not the first id for one far below it", "SPEC-000003", nil},
		{"nothing for a number alone that is far from all", "55555", nil},
		{"nothing for a number that no document can have", "ISS-" + strings.Repeat("9", 400), nil},
		{"the same number of other kinds", "ISSUE-000120", []string{"IDEA-000120", "SPEC-000120"}},
		{"the neighbours of a number without the dash", "ISS000099", []string{"ISS-000098", "ISS-000097", "ISS-000090"}},
		{"nothing that is not near", "nowhere", nil},
		{"nothing for nothing", "", nil},
	} {
		t.Run(c.says+": "+c.id, func(t *testing.T) {
			_, err := ix.Get(context.Background(), c.id)
			var notFound *NotFoundError
			if !errors.As(err, &notFound) || !slices.Equal(notFound.Suggestions, c.want) {
				t.Errorf("%v: got %q, want %q", err, notFound.Suggestions, c.want)
			}
		})
	}
}
