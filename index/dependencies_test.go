package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/index"
)

// waitingFor serves documents that wait for each other: by their numbers from 1, the numbers of those
// that each waits for.
func waitingFor(t testing.TB, waits [][]int) *served {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, ".wrangler/issues")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, on := range waits {
		ids := make([]string, len(on))
		for k, n := range on {
			ids[k] = fmt.Sprintf("ISS-%06d", n)
		}
		id := fmt.Sprintf("ISS-%06d", i+1)
		text := fmt.Sprintf("---\nid: %s\ntitle: Paper\ndependsOn: [%s]\n---\n", id, strings.Join(ids, ", "))
		if err := os.WriteFile(filepath.Join(dir, id+"-paper.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return serveRoot(t, root, index.ModeVerify)
}

// dependencies asks for all that a document waits for, or all that waits for it, and returns the
// number of statements that this took, from the first of the reading: those before compare the files.
func (s *served) dependencies(t testing.TB, id string, up bool, most int) (found []index.Dependency, more bool, statements int) {
	t.Helper()
	ctx := index.Observed(t.Context(), func(query string) {
		if statements > 0 || strings.Contains(query, beginsReading) {
			statements++
		}
	})
	_, found, more, err := s.Dependencies(ctx, id, up, !up, most)
	if err != nil {
		t.Fatal(err)
	}
	return found, more, statements
}

// The work of following links grows as the documents and links do, whatever their form.
func TestFollowingDependenciesGrowsAsTheLinksDo(t *testing.T) {
	t.Parallel()
	forms := map[string]func(i, n int) []int{
		"a chain": func(i, n int) []int { return numbersFrom(i+1, min(i+1, n)) },
		"a fan": func(i, n int) []int {
			if i > 1 {
				return nil
			}
			return numbersFrom(2, n)
		},
		"all later ones": func(i, n int) []int { return numbersFrom(i+1, n) },
		"a ring":         func(i, n int) []int { return []int{i%n + 1} },
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var took []int
			for _, n := range []int{20, 40} {
				waits, links := make([][]int, n), 0
				for i := range waits {
					waits[i] = form(i+1, n)
					links += len(waits[i])
				}
				s := waitingFor(t, waits)
				for _, up := range []bool{true, false} {
					id := "ISS-000001"
					if !up {
						id = fmt.Sprintf("ISS-%06d", n)
					}
					found, more, statements := s.dependencies(t, id, up, 1_000_000)
					if up && (len(found) != links || more) {
						t.Errorf("%d links of %d are found", len(found), links)
					}
					took = append(took, statements)
				}
			}
			for i := range 2 {
				if took[i+2] > 2*took[i]+5 {
					t.Errorf("%d statements for 20 documents, %d for 40", took[i], took[i+2])
				}
			}
		})
	}
}

func numbersFrom(from, to int) (all []int) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

// FuzzDependencies follows the links of any graph: each link that can be reached is found once, and
// no document's links are read twice.
func FuzzDependencies(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2, 2, 0}, uint8(200))
	f.Add([]byte{0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3, 3, 3}, uint8(3))
	f.Fuzz(func(t *testing.T, pairs []byte, most uint8) {
		const documents = 12
		waits := make([][]int, documents)
		edges := map[[2]int]bool{}
		for i := 0; i+1 < len(pairs); i += 2 {
			from, to := int(pairs[i])%documents, int(pairs[i+1])%documents
			if !edges[[2]int{from, to}] {
				edges[[2]int{from, to}] = true
				waits[from] = append(waits[from], to+1)
			}
		}
		reached, next, want := map[int]bool{0: true}, []int{0}, 0
		for ; len(next) > 0; next = next[1:] {
			for _, to := range waits[next[0]] {
				want++
				if !reached[to-1] {
					reached[to-1] = true
					next = append(next, to-1)
				}
			}
		}
		s := waitingFor(t, waits)
		found, more, statements := s.dependencies(t, "ISS-000001", true, int(most))
		if len(found) != min(want, int(most)) || more != (want > int(most)) {
			t.Errorf("%d links are found, and more: %v; there are %d, and %d were asked for", len(found), more, want, most)
		}
		if usual := 4; statements > len(reached)+usual {
			t.Errorf("%d statements for %d documents", statements, len(reached))
		}
		seen := map[string]bool{}
		for _, d := range found {
			link := d.Waiter.ID + " " + d.Of.ID
			if seen[link] {
				t.Errorf("%s is found twice", link)
			}
			seen[link] = true
		}
	})
}
