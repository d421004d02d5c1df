package repair

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/storetest"
)

// A twoBranchWorld is a repository in which two branches make documents with the same ids and
// references to them, and that remembers what each reference means.
type twoBranchWorld struct {
	*gitHistory
	rand  *rand.Rand
	files map[string]map[string]string // of each branch, by path
	ids   map[string]int               // the last number that a branch has given out
	means map[string]string            // titles by the name of the reference
	sure  map[string]bool              // references that only their branch's documents can explain
}

// line makes a reference in some form, to a document that a branch has.
func (w *twoBranchWorld) line(branch string, from string, sure bool) (text string) {
	paths := slices.Sorted(maps.Keys(w.files[branch]))
	to := paths[w.rand.IntN(len(paths))]
	name := fmt.Sprintf("ref%d", len(w.means))
	w.means[name], w.sure[name] = titleIn(w.files[branch][to]), sure
	id := "ISS-" + path.Base(to)[4:10]
	rel := path.Base(to)
	switch here, there := path.Dir(from), path.Dir(to); {
	case here == there:
	case strings.HasSuffix(there, "/archived"):
		rel = "archived/" + rel
	default:
		rel = "../" + rel
	}
	forms := []string{
		"see " + id + " here", "[text](" + rel + ")", "[" + id + ": text](<" + rel + "#top>)", "[[" + store.Stem(to) + "|text]]", "[[" + id + "]]",
		strings.ToLower(id), "in " + path.Base(to) + ", said",
	}
	return name + " " + forms[w.rand.IntN(len(forms))]
}

// step does one thing on a branch.
func (w *twoBranchWorld) step(branch string) {
	files := w.files[branch]
	paths := slices.Sorted(maps.Keys(files))
	file := paths[w.rand.IntN(len(paths))]
	switch w.rand.IntN(5) {
	case 0, 1: // a new document, with a link of the frontmatter
		w.ids[branch]++
		id := fmt.Sprintf("ISS-%06d", w.ids[branch])
		file = fmt.Sprintf(".wrangler/issues/%s-%s-%d.md", id, branch, len(files))
		to := "ISS-" + path.Base(paths[w.rand.IntN(len(paths))])[4:10]
		name := fmt.Sprintf("ref%d", len(w.means))
		for _, p := range paths {
			if path.Base(p)[:10] == to {
				w.means[name] = titleIn(files[p])
			}
		}
		w.sure[name] = true
		key := []string{"dependsOn: [%s]", "parent: %s", "relatesTo:\n  - '%s'"}[w.rand.IntN(3)]
		files[file] = fmt.Sprintf("---\nid: %s\ntitle: %s %d\nstatus: open\n"+key+" # %s\n---\n# %s\n", id, branch, len(files), to, name, id)
	case 2: // it is archived
		if strings.Contains(file, branch) && !strings.Contains(file, "archived") && !strings.Contains(files[file], "](") {
			files[".wrangler/issues/archived/"+path.Base(file)] = strings.Replace(files[file], "status: open", "status: closed", 1)
			delete(files, file)
		}
	default: // only the branch's own documents, so that nothing conflicts
		if strings.Contains(file, branch) {
			files[file] += w.line(branch, file, true) + "\n"
		}
	}
}

func titleIn(text string) string {
	_, rest, _ := strings.Cut(text, "title: ")
	title, _, _ := strings.Cut(rest, "\n")
	return title
}

// save commits the files of a branch.
func (w *twoBranchWorld) save(branch string) {
	w.git("rm", "-r", "--quiet", "--ignore-unmatch", ".wrangler/issues")
	for p, text := range w.files[branch] {
		w.write(p, text)
	}
	w.commit("on " + branch)
}

var (
	referenceName = regexp.MustCompile(`ref\d+`)
	namedFile     = regexp.MustCompile(`(?i)(?:archived/|\.\./)?(ISS-\d{6})[a-z0-9-]*(?:\.md)?`)
)

// TestEveryReferenceMeansWhatItsAuthorMeant merges two branches that made documents with the same
// ids, repairs that, and holds that each reference leads to the document that was meant, or is
// listed. References that were committed before the merge are never left open.
func TestEveryReferenceMeansWhatItsAuthorMeant(t *testing.T) {
	seeds := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for _, seed := range storetest.FewOf(seeds, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := &twoBranchWorld{
				gitHistory: newHistory(t), rand: rand.New(rand.NewPCG(seed, 1)), ids: map[string]int{},
				files: map[string]map[string]string{}, means: map[string]string{}, sure: map[string]bool{},
			}
			base := map[string]string{".wrangler/issues/ISS-000001-base.md": "---\nid: ISS-000001\ntitle: base\n---\n"}
			w.files["main"], w.files["topic"] = maps.Clone(base), maps.Clone(base)
			w.ids["main"], w.ids["topic"] = 1, 1
			w.save("main")
			w.git("branch", "topic")
			for range 4 {
				for _, branch := range []string{"main", "topic"} {
					w.git("checkout", "--quiet", branch)
					for range 1 + w.rand.IntN(4) {
						w.step(branch)
					}
					w.save(branch)
				}
			}
			w.git("checkout", "--quiet", "main")
			w.git("merge", "--quiet", "--no-edit", "topic")
			merged := maps.Clone(w.files["main"])
			maps.Copy(merged, w.files["topic"])
			w.files["merged"] = merged
			after := ".wrangler/issues/ISS-000900-after.md"
			text := "---\nid: ISS-000900\ntitle: after\n---\n"
			for range 6 {
				text += w.line("merged", after, false) + "\n"
			}
			w.write(after, text)
			if w.rand.IntN(2) == 0 {
				w.commit("after the merge")
			}
			w.holdRepair()
		})
	}
}

func (w *twoBranchWorld) holdRepair() {
	w.Helper()
	ws := openWorkspace(w, w.root, "")
	r := ws.duplicates(DuplicateOptions{})
	for _, u := range r.Undecided {
		w.Errorf("undecided: %+v", u)
	}
	ws.applyExactly(r)
	files := ws.files()
	byID, listed := map[string]string{}, map[string]bool{}
	for p, text := range files {
		doc := ws.ix.Workspace().Parse(store.File{Path: p}, []byte(text), nil)
		if byID[doc.ID] != "" {
			w.Errorf("%s is still the id of %s and %s", doc.ID, byID[doc.ID], p)
		}
		byID[doc.ID] = p
	}
	for _, l := range r.Left {
		line := strings.Split(files[l.Path], "\n")[l.Line-1]
		if !strings.Contains(strings.ToLower(line), strings.ToLower(l.Text)) {
			w.Errorf("%s:%d is %q, which has no %s", l.Path, l.Line, line, l.Text)
		}
		listed[referenceName.FindString(line)] = true
	}
	checked := 0
	for p, text := range files {
		for _, line := range strings.Split(text, "\n") {
			if id, ok := strings.CutPrefix(line, "# "); ok && byID[id] != p && p != "" {
				w.Errorf("%s calls itself %s", p, id)
			}
			name := referenceName.FindString(line)
			if name == "" {
				continue
			}
			checked++
			for _, m := range namedFile.FindAllStringSubmatch(line, -1) {
				to := byID[strings.ToUpper(m[1])]
				if strings.HasSuffix(m[0], ".md") && strings.Contains(line, "](") {
					to = path.Join(path.Dir(p), m[0])
				}
				if got := titleIn(files[to]); got != w.means[name] && !listed[name] {
					w.Errorf("%s: %q leads to %q (%s), but means %q", p, line, got, to, w.means[name])
				}
			}
			if w.sure[name] && listed[name] {
				w.Errorf("%s: %q is listed, although its branch had one document of the id", p, line)
			}
		}
	}
	w.Logf("%d changes, %d references, %d listed", len(r.Changes), checked, len(r.Left))
	if checked < len(w.means)*9/10 {
		w.Errorf("%d of %d references are there", checked, len(w.means))
	}
}
