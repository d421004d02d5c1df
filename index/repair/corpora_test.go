package repair

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/frontmatter"
	"issues-index/store/layout"
)

// realWorkspaces are real documents of four repositories: where they are, and the
// directory of their issues if it is not the usual one.
var realWorkspaces = map[string]struct{ root, issues string }{
	"sample":    {"../../testdata/sample", ""},
	"wrangler":  {"../../testdata/corpora/wrangler", ""},
	"backlogmd": {"../../testdata/corpora/backlogmd", "backlog"},
	"eips":      {"../../testdata/corpora/eips", "EIPS"},
	"crlf":      {"../../testdata/corpora/crlf", "wdk-ddi-src"},
}

// TestRealWorkspaces holds that Check finds in real workspaces exactly what a
// plain look at their lines finds, and that Fix changes the documents it names, as it
// says, and no other.
func TestRealWorkspaces(t *testing.T) {
	for name, w := range realWorkspaces {
		t.Run(name, func(t *testing.T) {
			files := markdownFiles(t, filepath.FromSlash(w.root))
			b := newWorkspace(t, w.issues, files)
			r := b.check()

			found := map[string][]string{}
			for _, p := range r.Problems {
				found[p.Path] = append(found[p.Path], string(p.Problem.Code))
			}
			want := naiveScan(files, w.issues)
			counts := map[string]int{}
			for p := range files {
				slices.Sort(found[p])
				slices.Sort(want[p])
				if !slices.Equal(found[p], want[p]) {
					t.Errorf("%s: %q, but a plain look finds %q", p, found[p], want[p])
				}
				for _, code := range found[p] {
					counts[code]++
				}
			}
			t.Logf("%d files, %v, %d changes", len(files), counts, len(r.Changes))

			b.fix(r)
			sameFiles(t, b.files(), expected(t, files, r.Changes))
			after := b.check()
			if len(after.Changes) > 0 {
				t.Errorf("a second time it would change %+v", after.Changes)
			}
			if left := len(r.Problems) - fixedCount(r); len(after.Problems) > left {
				t.Errorf("%d problems are left, of which %d were there", len(after.Problems), left)
			}
		})
	}
}

// expected is what the files become by the lines that a person was shown.
func expected(t *testing.T, files map[string]string, fixes []FileChange) map[string]string {
	t.Helper()
	after := maps.Clone(files)
	for _, f := range fixes {
		text := files[f.From]
		removed, added := f.Lines()
		for i, line := range added {
			if i < len(removed) {
				if strings.Count(text, removed[i]+"\n") != 1 {
					t.Fatalf("%s: %q is not one line of it", f.From, removed[i])
				}
				text = strings.Replace(text, removed[i]+"\n", line+"\n", 1)
				continue
			}
			head, body, _ := strings.Cut(text[4:], "\n---\n") // new lines are the last ones
			text = text[:4] + head + "\n" + line + "\n---\n" + body
		}
		delete(after, f.From)
		if _, taken := files[f.To]; taken && f.Moves() {
			t.Errorf("%s would go over %s", f.From, f.To)
		}
		after[f.To] = text
	}
	return after
}

func fixedCount(r *Report) (n int) {
	for _, p := range r.Problems {
		if p.Fix != "" {
			n++
		}
	}
	return n
}

var (
	unquoted   = regexp.MustCompile(`(?m)^\s*(?:\w+:|-)\s*@`)
	digits     = regexp.MustCompile(`\d+`)
	archives   = regexp.MustCompile(`/(archived|completed|complete)/`)
	parentKeys = []string{`\s+parentTaskId`, "parentTaskId", "parent_task_id"}
)

// naiveScan finds problems by lines and regular expressions alone.
func naiveScan(files map[string]string, issues string) map[string][]string {
	type seen struct{ id, parent string }
	documents := map[string]seen{}
	problems := map[string][]string{}
	for p, text := range files {
		collection := naiveCollection(p, issues)
		if collection == "" {
			continue
		}
		say := func(code store.ProblemCode) { problems[p] = append(problems[p], string(code)) }
		stem := strings.TrimSuffix(path.Base(p), ".md")
		head, _, ok := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n---\n")
		head, fenced := strings.CutPrefix(strings.TrimPrefix(head, "\ufeff"), "---\n")
		if !ok || !fenced {
			documents[p] = seen{id: stem}
			continue
		}
		if unquoted.MatchString(head) {
			say(frontmatter.ProblemInvalidYAML)
			documents[p] = seen{id: stem}
			continue
		}
		d := seen{id: naiveValue(head, "id")}
		if d.id == "" {
			d.id = stem
		}
		for _, key := range parentKeys {
			if d.parent == "" {
				d.parent = naiveValue(head, key)
			}
		}
		documents[p] = d
		if low, id := strings.ToLower(stem), strings.ToLower(d.id); low != id && !strings.HasPrefix(low, id+"-") && !strings.HasPrefix(low, id+" ") {
			say(frontmatter.ProblemIDFilename)
		}
		status := naiveValue(head, "status")
		archived := archives.MatchString(p)
		switch status {
		case "":
		case "open", "in_progress":
			if archived {
				say(frontmatter.ProblemStatusFolder)
			}
		case "closed", "cancelled":
			if !archived {
				say(frontmatter.ProblemStatusFolder)
			}
		default:
			say(frontmatter.ProblemUnknownStatus)
		}
		if v := naiveValue(head, "priority"); v != "" && !slices.Contains(layout.Default().Priorities, v) {
			say(frontmatter.ProblemUnknownPriority)
		}
		if v := naiveValue(head, "type"); v != "" && !slices.Contains(store.Types, v) {
			say(frontmatter.ProblemUnknownType)
		}
	}
	withID, known := map[string]int{}, map[string]bool{}
	for _, d := range documents {
		withID[d.id]++
		known[naiveFold(d.id)] = true
	}
	for p, d := range documents {
		if withID[d.id] > 1 {
			problems[p] = append(problems[p], "duplicate-id")
		}
		switch {
		case d.parent == "":
		case !known[naiveFold(d.parent)]:
			problems[p] = append(problems[p], "dangling-parent")
		case d.parent == d.id && withID[d.id] == 1: // else nobody can say which is meant
			problems[p] = append(problems[p], "parent-cycle")
		}
	}
	return problems
}

func naiveCollection(p, issues string) string {
	if issues == "" {
		issues = ".wrangler/issues"
	}
	for _, dir := range []string{issues, ".wrangler/specifications", ".wrangler/ideas"} {
		if strings.HasPrefix(p, dir+"/") && !strings.EqualFold(path.Base(p), "README.md") {
			return dir
		}
	}
	return ""
}

// naiveValue is what stands behind a key on its line, quotes and comments aside.
func naiveValue(head, key string) string {
	m := regexp.MustCompile(`(?m)^` + key + `:[ \t]*(.*?)[ \t]*$`).FindStringSubmatch(head)
	if m == nil {
		return ""
	}
	v := m[1]
	if quote := strings.IndexAny(v, `"'`); quote == 0 {
		return strings.Trim(v, v[:1])
	}
	v, _, _ = strings.Cut(v, " #")
	if v == "null" || v == "~" {
		return ""
	}
	return v
}

// naiveFold makes ids alike that differ by letter case or leading zeros.
func naiveFold(id string) string {
	return digits.ReplaceAllStringFunc(strings.ToLower(id), func(n string) string {
		if n = strings.TrimLeft(n, "0"); n == "" {
			n = "0"
		}
		return n
	})
}

func ExampleKindOf() {
	fmt.Println(KindOf(frontmatter.ProblemMergeConflict, layout.Default()).Advice)
	// Output: Keep one side of the conflict and remove the markers.
}
