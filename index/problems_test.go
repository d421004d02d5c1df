package index

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issues-index/index/db"
	"issues-index/store"
)

// compareProblemCount holds the count of documents with problems, which looks at less than the
// list does, to the list.
func compareProblemCount(ix *Index, all []DocumentProblem) error {
	paths := map[string]bool{}
	for _, p := range all {
		paths[p.Path] = true
	}
	counted, err := ix.ProblemDocuments(context.Background())
	if err == nil && counted != len(paths) {
		err = fmt.Errorf("%d documents with problems are counted, and listed are %v", counted, all)
	}
	return err
}

// problems lists the codes of a workspace's problems by path.
func (k *kit) problems(ix *Index) map[string][]string {
	k.Helper()
	all, err := ix.Problems(context.Background())
	if err != nil {
		k.Fatal(err)
	}
	if !slices.IsSortedFunc(all, func(a, b DocumentProblem) int { return strings.Compare(a.Path, b.Path) }) {
		k.Errorf("not by path: %v", all)
	}
	codes := map[string][]string{}
	if err := compareProblemCount(ix, all); err != nil {
		k.Error(err)
	}
	for _, p := range all {
		name := strings.TrimPrefix(p.Path, ".wrangler/issues/")
		codes[name] = append(codes[name], string(p.Problem.Code))
		if p.Problem.Message == "" {
			k.Errorf("%s: %s says nothing", p.Path, p.Problem.Code)
		}
	}
	return codes
}

func TestProblems(t *testing.T) {
	k := newKit(t)
	ix := k.open(Options{Path: db.MemoryPath, Mode: ModeVerify})
	for name, c := range map[string]struct {
		files map[string]string // below the issues: their frontmatter
		want  map[string][]string
	}{
		"none in a sound workspace": {
			files: map[string]string{"ISS-1.md": "id: ISS-1", "ISS-2.md": "id: ISS-2\nwranglerContext: {parentTaskId: ISS-1}"},
		},
		"an id that several have, at each of them": {
			files: map[string]string{"a.md": "id: ISS-1", "b.md": "id: ISS-1", "archived/c.md": "id: ISS-1\nstatus: closed", "d.md": "id: d"},
			want: map[string][]string{
				"a.md": {"duplicate-id", "id-filename-mismatch"}, "b.md": {"duplicate-id", "id-filename-mismatch"}, "archived/c.md": {"duplicate-id", "id-filename-mismatch"},
			},
		},
		"an id that is another document's file name": {
			files: map[string]string{"a.md": "title: No id", "b.md": "id: a"},
			want:  map[string][]string{"a.md": {"duplicate-id"}, "b.md": {"duplicate-id", "id-filename-mismatch"}},
		},
		"ids that are one to whoever writes them otherwise": {
			files: map[string]string{"ISS-000042.md": "id: ISS-000042", "iss-42.md": "id: iss-42", "ISS-000042-b.md": "id: ISS-000042", "ISS-000420.md": "id: ISS-000420"},
			want: map[string][]string{
				"ISS-000042.md": {"duplicate-id", "duplicate-id"}, "ISS-000042-b.md": {"duplicate-id", "duplicate-id"}, "iss-42.md": {"duplicate-id"},
			},
		},
		"a parent that is no document": {
			files: map[string]string{"a.md": "wranglerContext: {parentTaskId: ISS-99}"},
			want:  map[string][]string{"a.md": {"dangling-parent"}},
		},
		"no parent that is found in another spelling": {
			files: map[string]string{"ISS-000007.md": "id: ISS-000007", "a.md": "wranglerContext: {parentTaskId: iss-7}"},
		},
		"a dependency that no document has, at unfinished documents": {
			files: map[string]string{"ISS-000001.md": "id: ISS-000001\ndepends_on: [ISS-999]", "archived/ISS-000002.md": "id: ISS-000002\nstatus: closed\ndepends_on: [ISS-999]"},
			want:  map[string][]string{"ISS-000001.md": {"dangling-dependency"}},
		},
		"a dependency that several documents may be": {
			files: map[string]string{"ISS-000001.md": "id: ISS-000001", "BUG-1.md": "id: BUG-1", "ISS-000002.md": "id: ISS-000002\ndepends_on: [1]"},
			want:  map[string][]string{"ISS-000002.md": {"ambiguous-dependency"}},
		},
		"no dependency of another repository": {
			files: map[string]string{"ISS-000001.md": "id: ISS-000001\ndepends_on: ['other:ISS-999', JIRA-7]"},
		},
		"a parent that names nothing": {
			files: map[string]string{"a.md": "wranglerContext: {parentTaskId: '#'}", "b.md": "wranglerContext: {parentTaskId: '[[]]'}"},
			want:  map[string][]string{"a.md": {"dangling-parent"}, "b.md": {"dangling-parent"}},
		},
		"a circle of parents that are found by file names and numbers": {
			files: map[string]string{
				"one.md": "id: ISS-000007\nwranglerContext: {parentTaskId: two.md}", "two.md": "id: ISS-000008\nwranglerContext: {parentTaskId: '7'}",
				"three.md": "id: ISS-000009\nwranglerContext: {parentTaskId: two.md}",
			},
			want: map[string][]string{
				"one.md": {"id-filename-mismatch", "parent-cycle"}, "two.md": {"id-filename-mismatch", "parent-cycle"}, "three.md": {"id-filename-mismatch"},
			},
		},
		"no parent that is found by its number": {
			files: map[string]string{"ISS-000020.md": "id: ISS-000020", "a.md": "parent_task_id: 20", "b.md": "parent: 20", "c.md": "wranglerContext: {parentTaskId: '020'}"},
		},
		"a number that no document has as a parent": {
			files: map[string]string{"a.md": "parent_task_id: 20"},
			want:  map[string][]string{"a.md": {"dangling-parent"}},
		},
		"a document that is its own parent": {
			files: map[string]string{"a.md": "wranglerContext: {parentTaskId: A}"},
			want:  map[string][]string{"a.md": {"parent-cycle"}},
		},
		"a circle of parents, at each in it and not at those that lead to it": {
			files: map[string]string{
				"a.md": "wranglerContext: {parentTaskId: b}", "b.md": "wranglerContext: {parentTaskId: c}", "c.md": "wranglerContext: {parentTaskId: a}",
				"d.md": "wranglerContext: {parentTaskId: a}", "e.md": "wranglerContext: {parentTaskId: d}",
			},
			want: map[string][]string{"a.md": {"parent-cycle"}, "b.md": {"parent-cycle"}, "c.md": {"parent-cycle"}},
		},
		"no circle where two documents have the parent's id": {
			files: map[string]string{"a.md": "wranglerContext: {parentTaskId: b}", "b.md": "wranglerContext: {parentTaskId: a}", "c.md": "id: b"},
			want:  map[string][]string{"b.md": {"duplicate-id"}, "c.md": {"duplicate-id", "id-filename-mismatch"}},
		},
		"names that differ by case alone": {
			files: map[string]string{"a.md": "id: a", "A.md": "id: A"},
			want:  map[string][]string{"a.md": {"case-twin"}, "A.md": {"case-twin"}},
		},
		"names that differ by Unicode form alone": {
			files: map[string]string{"caf\u00e9.md": "id: caf\u00e9", "cafe\u0301.md": "id: cafe\u0301"},
			want:  map[string][]string{"caf\u00e9.md": {"case-twin"}, "cafe\u0301.md": {"case-twin"}},
		},
		"names that differ by both": {
			files: map[string]string{"CAF\u00c9.md": "id: CAF\u00c9", "cafe\u0301.md": "id: cafe\u0301"},
			want:  map[string][]string{"CAF\u00c9.md": {"case-twin"}, "cafe\u0301.md": {"case-twin"}},
		},
		"folders that differ by case alone": {
			files: map[string]string{"Old/x.md": "id: x", "old/x.md": "id: x\ntitle: Another"},
			want:  map[string][]string{"Old/x.md": {"duplicate-id", "case-twin"}, "old/x.md": {"duplicate-id", "case-twin"}},
		},
		"every other twin, where there are three": {
			files: map[string]string{"xy.md": "id: xy", "Xy.md": "id: Xy", "XY.md": "id: XY"},
			want: map[string][]string{
				"xy.md": {"case-twin"}, "Xy.md": {"case-twin"}, "XY.md": {"case-twin"},
			},
		},
		"what single files show": {
			files: map[string]string{
				"a.md": "status: blocked", "b.md": "priority: urgent", "c.md": "title: [unclosed", "archived/d.md": "status: open", "e.md": "status: closed", "f.md": "type: epic",
			},
			want: map[string][]string{
				"a.md": {"unknown-status"}, "b.md": {"unknown-priority"}, "c.md": {"invalid-yaml"},
				"archived/d.md": {"status-folder-mismatch"}, "e.md": {"status-folder-mismatch"}, "f.md": {"unknown-type"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			names := map[string]bool{}
			for path := range c.files {
				names[strings.ToLower(path)] = true
			}
			if runtime.GOOS == "windows" && len(names) < len(c.files) {
				t.Skip("a folder has no two such names there")
			}
			k := k.within(t)
			k.clear()
			for path, frontmatter := range c.files {
				k.put(".wrangler/issues/"+path, "---\n"+frontmatter+"\n---\n")
			}
			got := k.problems(ix)
			for path := range c.files {
				slices.Sort(got[path])
				want := slices.Sorted(slices.Values(c.want[path]))
				if !slices.Equal(got[path], want) {
					t.Errorf("%s: %q, want %q", path, got[path], want)
				}
			}
		})
	}
}

// A template's id in every document is no reason for an answer of their number squared.
func TestManyDocumentsWithOneIDNameAFewOfThem(t *testing.T) {
	k := newKit(t)
	const documents = 200
	for n := range documents {
		k.put(fmt.Sprintf(".wrangler/issues/TODO-%03d.md", n), "---\nid: TODO\n---\n")
	}
	all, err := k.open(Options{Path: db.MemoryPath}).Problems(context.Background())
	if err != nil || len(all) != documents {
		t.Fatalf("%d problems, %v", len(all), err)
	}
	for _, p := range all {
		named := strings.Count(p.Problem.Message, ".md")
		if named != 5 || strings.Contains(p.Problem.Message, p.Path) || !strings.HasSuffix(p.Problem.Message, " and others") {
			t.Errorf("%s: %s", p.Path, p.Problem.Message)
		}
	}
}

// What is listed grows as the files do, however many names a document has or shares.
func TestADocumentHasFewProblemsOfOneKind(t *testing.T) {
	for name, c := range map[string]struct {
		files func(k *kit)
		most  int
	}{
		"ids that no document has": {func(k *kit) {
			var ids []string
			for n := range 300 {
				ids = append(ids, fmt.Sprintf("ISS-%d", 1000+n))
			}
			k.put(".wrangler/issues/a.md", "---\nid: a\ndependsOn: ["+strings.Join(ids, ", ")+"]\n---\n")
		}, 101},
		"names that differ by case alone": {func(k *kit) {
			for n := range 32 {
				file := []byte("abcde.md")
				for i := range 5 {
					if n>>i&1 == 1 {
						file[i] -= 'a' - 'A'
					}
				}
				k.put(".wrangler/issues/"+string(file), fmt.Sprintf("---\nid: X-%d\n---\n", n))
			}
		}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			c.files(k)
			for path, codes := range k.problems(k.open(Options{Path: db.MemoryPath})) {
				if len(codes) > c.most {
					t.Errorf("%s has %d problems", path, len(codes))
				}
			}
		})
	}
}

func TestProblemsComeAndGoWithTheFiles(t *testing.T) {
	k := newKit(t)
	first := k.add(paper{id: "ISS-000001"})
	ix := k.open(Options{Path: db.MemoryPath})
	expect := func(says string, want ...store.ProblemCode) {
		t.Helper()
		all, err := ix.Problems(context.Background())
		if err == nil {
			err = compareProblemCount(ix, all)
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []store.ProblemCode
		for _, p := range all {
			got = append(got, p.Problem.Code)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", says, got, want)
		}
	}
	expect("one document")
	second := k.add(paper{id: "ISS-000001", path: ".wrangler/issues/ISS-000001-too.md", parent: "ISS-000009"})
	expect("another with its id", "duplicate-id", "dangling-parent", "duplicate-id")
	second.id = "ISS-000001-too"
	k.save(second)
	expect("with another id", "dangling-parent")
	k.add(paper{id: "ISS-000009"})
	expect("with its parent")
	second.parent = "ISS-000001"
	first.parent = "ISS-000001-TOO"
	k.save(first)
	k.save(second)
	expect("each other's parents", "parent-cycle", "parent-cycle")
	k.remove(second)
	expect("one of them gone", "dangling-parent")
}

func TestProblemsOfALongChainOfParents(t *testing.T) {
	k := newKit(t)
	const length = 400
	for n := range length {
		k.add(paper{id: fmt.Sprintf("ISS-%06d", n), parent: fmt.Sprintf("ISS-%06d", (n+1)%length)})
	}
	got := k.problems(k.open(Options{Path: db.MemoryPath}))
	if len(got) != length || !slices.Equal(got["ISS-000000.md"], []string{"parent-cycle"}) {
		t.Errorf("%d documents with problems, the first with %q", len(got), got["ISS-000000.md"])
	}
}

// However many documents have one id, each is compared with a few.
func TestTwinsAreFoundInTimeByTheirNumber(t *testing.T) {
	t.Parallel()
	var links []lineage
	for i := range 2000 {
		links = append(links, lineage{Path: fmt.Sprint(i), ID: "ISS-1", Fold: "iss-1"})
	}
	links = append(links, lineage{Path: "x", ID: "ISS-01", Fold: "iss-1"})
	compared := 0
	found := twins(links, problemDuplicateID, func(l lineage) string { return l.Fold }, func(a, b lineage) bool {
		compared++
		return a.ID != b.ID
	}, "%s %s")
	if len(found) != len(links) || found[0].Problem.Message != "ISS-1 x" ||
		found[2000].Problem.Message != "ISS-01 0, 1, 2, 3, 4, others" {
		t.Errorf("%d found: %v … %v", len(found), found[0], found[len(found)-1])
	}
	if compared > 20*len(links) {
		t.Errorf("%d comparisons of %d documents", compared, len(links))
	}
}
