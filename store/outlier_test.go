package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// numbered are files of issues with the given numbers.
func numbered(ids ...int) map[string]string {
	files := map[string]string{}
	for _, n := range ids {
		files[fmt.Sprintf(".wrangler/issues/ISS-%06d-x.md", n)] = ""
	}
	return files
}

// from are the numbers from first to last.
func from(first, last int) (list []int) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// givenFile is a file of numbers given out.
func givenFile(issue int) map[string]string {
	return map[string]string{CacheDir + "/" + idsFile: fmt.Sprintf("ISS %09d\nSPEC 000000000\nIDEA 000000007\n", issue)}
}

func joined(all ...map[string]string) map[string]string {
	files := map[string]string{}
	for _, f := range all {
		maps.Copy(files, f)
	}
	return files
}

func TestNextIDIgnoresOutliers(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a single one", numbered(999_999_999), "ISS-000001"},
		{"one above others", numbered(1, 2, 7, 999_999_999), "ISS-000008"},
		{"several far from each other", numbered(7, 3_000_000, 5_000_000, 400_000_000), "ISS-000008"},
		{"one in an id that the name does not show", map[string]string{".wrangler/issues/x.md": "---\nid: ISS-999999999\n---\n"}, "ISS-000001"},
		{"the numbers of the last million, after which there is no room", numbered(7, 999_999_998, 999_999_999), "ISS-000008"},
		{"but not one a million above the others", numbered(7, 1_000_007), "ISS-1000008"},
		{"one a million and one above the others", numbered(7, 1_000_008), "ISS-000008"},
		{"but not a single one of a million", numbered(1_000_000), "ISS-1000001"},
		{"a single one of a million and one", numbered(1_000_001), "ISS-000001"},
		{"but not documents near each other", numbered(append(from(5_000_000, 5_000_120), 3)...), "ISS-5000121"},
		{"above documents near each other", numbered(append(from(5_000_000, 5_000_120), 3, 80_000_000)...), "ISS-5000121"},
		{"in the file of numbers given out", joined(numbered(7), givenFile(999_999_999)), "ISS-000008"},
		{"there, without documents", givenFile(500_000_000), "ISS-000001"},
		{"in a document and the file, near each other", joined(numbered(7, 500_000_000), givenFile(500_000_001)), "ISS-000008"},
		{"but not a number given out near documents", joined(numbered(from(5_000_000, 5_000_120)...), givenFile(5_000_300)), "ISS-5000301"},
		{"but not one that a number given out comes near", joined(numbered(10, 1_000_011), givenFile(1_000_010)), "ISS-1000012"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := nextID(t, newWorkspace(t, c.files), TypeIssue, CreateOptions{}); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}

	t.Run("in the file of numbers given out, which is corrected for this type and kept for others", func(t *testing.T) {
		w := newWorkspace(t, givenFile(999_999_999))
		nextID(t, w, TypeIssue, floor(41))
		data, err := os.ReadFile(filepath.Join(w.Root, CacheDir, idsFile))
		if want := "ISS 000000042\nSPEC 000000000\nIDEA 000000007\n"; err != nil || string(data) != want {
			t.Errorf("%s, %v; want %s", data, err, want)
		}
	})
	t.Run("but not a number given out that the caller's floor does not know of, and the documents prove", func(t *testing.T) {
		w := newWorkspace(t, joined(numbered(from(5_000_000, 5_000_002)...), givenFile(5_000_009)))
		if got := nextID(t, w, TypeIssue, floor(3)); got != "ISS-5000010" {
			t.Error(got)
		}
	})
	t.Run("of the caller until the numbers come near", func(t *testing.T) {
		w := newWorkspace(t, nil)
		o := floor(999_999)
		o.Outliers = func(string) []int { return []int{2_000_000, 2_000_001} }
		for _, want := range []string{"ISS-2000002", "ISS-2000003"} {
			if got := nextID(t, w, TypeIssue, o); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
	t.Run("of other worktrees, in documents and among the numbers given out", func(t *testing.T) {
		base := realDir(t, t.TempDir())
		writeFiles(t, base, gitFiles(base))
		writeFiles(t, filepath.Join(base, "one"), joined(numbered(20, 700_000_000), map[string]string{".wrangler/issues/x.md": "---\nid: ISS-800000000\n---\n"}))
		writeFiles(t, filepath.Join(base, "two"), givenFile(999_999_999))
		w := openWorkspace(t, filepath.Join(base, "main"), nil)
		for _, want := range []string{"ISS-000021", "ISS-000022"} {
			if got := nextID(t, w, TypeIssue, floor(0)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
	t.Run("of another worktree until the numbers come near, whose file is read once", func(t *testing.T) {
		base := realDir(t, t.TempDir())
		writeFiles(t, base, gitFiles(base))
		writeFiles(t, base, map[string]string{"one/.wrangler/issues/x.md": "---\nid: ISS-1500000\n---\n"})
		w := openWorkspace(t, filepath.Join(base, "main"), nil)
		for at, want := range []string{"ISS-000001", "ISS-1500001"} {
			if got := nextID(t, w, TypeIssue, floor(at*600_000)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
	t.Run("but not documents near each other in another worktree", func(t *testing.T) {
		base := realDir(t, t.TempDir())
		writeFiles(t, base, gitFiles(base))
		writeFiles(t, filepath.Join(base, "one"), map[string]string{
			".wrangler/issues/ISS-5000000-x.md": "", ".wrangler/issues/x.md": "---\nid: ISS-5000001\n---\n",
		})
		w := openWorkspace(t, filepath.Join(base, "main"), nil)
		for _, want := range []string{"ISS-5000002", "ISS-5000003"} {
			if got := nextID(t, w, TypeIssue, floor(0)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
}

func TestDeletingAnOutlierDoesNotRememberIt(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a single one": numbered(7, 500_000_001),
		"one near a number that a stranger's file has as given out": joined(numbered(7, 500_000_001), givenFile(500_000_000)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, files)
			if _, err := w.Delete(t.Context(), ".wrangler/issues/ISS-500000001-x.md", nil); err != nil {
				t.Fatal(err)
			}
			for _, w := range []*Workspace{w, openWorkspace(t, w.Root, nil)} {
				if got := nextID(t, w, TypeIssue, CreateOptions{}); got != "ISS-000008" && got != "ISS-000009" {
					t.Error(got)
				}
			}
		})
	}
	t.Run("and leaves what is remembered", func(t *testing.T) {
		w := newWorkspace(t, numbered(7, 500_000_001))
		created, err := w.Create(t.Context(), NewDocument{Title: "New"}, CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{created.Path, ".wrangler/issues/ISS-500000001-x.md"} {
			if _, err := w.Delete(t.Context(), p, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := nextID(t, openWorkspace(t, w.Root, nil), TypeIssue, CreateOptions{}); got != "ISS-000009" {
			t.Error(got)
		}
	})
	t.Run("but a document among others is remembered, however high", func(t *testing.T) {
		w := newWorkspace(t, numbered(from(5_000_000, 5_000_003)...))
		if _, err := w.Delete(t.Context(), ".wrangler/issues/ISS-5000003-x.md", nil); err != nil {
			t.Fatal(err)
		}
		if got := nextID(t, openWorkspace(t, w.Root, nil), TypeIssue, CreateOptions{}); got != "ISS-5000004" {
			t.Error(got)
		}
	})
}

func TestCreatingWithoutARoomAboveNamesTheDocumentInTheWay(t *testing.T) {
	w := newWorkspace(t, numbered(7, lastNumber-1, lastNumber))
	_, err := w.Create(t.Context(), NewDocument{Title: "New"}, CreateOptions{})
	if err == nil || !strings.Contains(err.Error(), "ISS-998999999-x.md") || !strings.Contains(err.Error(), "rebuild") {
		t.Errorf("%v", err)
	}
	t.Run("and goes on when that is gone", func(t *testing.T) {
		if err := os.Remove(filepath.Join(w.Root, ".wrangler/issues/ISS-998999999-x.md")); err != nil {
			t.Fatal(err)
		}
		if got := nextID(t, w, TypeIssue, CreateOptions{}); got != "ISS-000008" {
			t.Error(got)
		}
	})
}

// TestNextIDOfAnyNumbers compares the next id with the rule put plainly: a number
// counts when another, or 0, lies less than a million below it.
func TestNextIDOfAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := map[int]bool{}
		for range rapid.IntRange(0, 5).Draw(t, "groups") {
			at := rapid.SampledFrom([]int{0, 999_990, 2_000_000, 2_999_990, 700_000_000, 998_999_900}).Draw(t, "at") +
				rapid.IntRange(0, 40).Draw(t, "offset")
			for range rapid.IntRange(1, 3).Draw(t, "of") {
				at += rapid.SampledFrom([]int{1, 2, MaxNumberGap - 1, MaxNumberGap, MaxNumberGap + 1}).Draw(t, "step")
				known[min(at, maxIDNumber)] = true
			}
		}
		sorted := slices.Sorted(maps.Keys(known))
		base := 0
		for _, n := range sorted {
			near := func(lower int) bool { return lower < n && n-lower <= MaxNumberGap }
			if n <= lastNumber && (near(0) || slices.ContainsFunc(sorted, near)) {
				base = n
			}
		}
		shuffled := slices.Clone(sorted)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		next := HighestNumber(0, append(shuffled, sorted...)) + 1
		if next != base+1 {
			t.Fatalf("after %v comes %d, want %d", sorted, next, base+1)
		}
		if next > lastNumber {
			return
		}
		if known[next] {
			t.Fatalf("%d is not free in %v", next, sorted)
		}
		for _, n := range sorted {
			if n > next && n-next < MaxNumberGap && n <= lastNumber {
				t.Fatalf("%d is near the outlier %d of %v", next, n, sorted)
			}
		}
	})
}
