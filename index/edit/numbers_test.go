package edit

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/storetest"
)

func issueID(number int) string { return fmt.Sprintf("ISS-%06d", number) }

func (w workspace) wantNext(t *testing.T, want string) {
	t.Helper()
	done, err := w.Create(t.Context(), store.NewDocument{Title: "New " + want}, false)
	if err != nil || done.After.ID != want {
		t.Errorf("created %+v, %v; want %s", done.After, err, want)
	}
}

func TestNumbersAbove999999DoNotPushLaterIDsAway(t *testing.T) {
	t.Run("and are read, changed and deleted as others", func(t *testing.T) {
		w := fresh(t, "ISS-000007", "ISS-5000000")
		if _, err := w.Update(t.Context(), DocumentRef{ID: "ISS-5000000"}, func(*store.Document) (store.Fields, error) { return store.Fields{Title: new("Far")}, nil }); err != nil {
			t.Fatal(err)
		}
		w.wantNext(t, "ISS-000008")
		if _, err := w.Delete(t.Context(), DocumentRef{ID: "ISS-5000000"}); err != nil {
			t.Fatal(err)
		}
		w.wantNext(t, "ISS-000009")
	})
	t.Run("nor does one that a bare number or a file name has", func(t *testing.T) {
		w := fresh(t, "ISS-000007")
		put(t, w.root, issuePath("ISS-900000000"), "other", "open")
		put(t, w.root, ".wrangler/ideas/ISS-800000000-x.md", "ISS-800000000", "open")
		w.wantNext(t, "ISS-000008")
	})
	t.Run("and where no number is left the error says what to do", func(t *testing.T) {
		w := fresh(t, "ISS-000007", "ISS-999999")
		_, err := w.Create(t.Context(), store.NewDocument{Title: "New"}, false)
		if err == nil || !strings.Contains(err.Error(), "issues-index rebuild") {
			t.Errorf("%v", err)
		}
		if err := os.Remove(w.file(issuePath("ISS-999999"))); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ix.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.wantNext(t, "ISS-000008")
	})
}

// TestNumbersAreNeverReused changes documents from outside and through the writer, and
// compares each new id with the rule: one above the highest number up to 999,999 that was
// ever seen.
func TestNumbersAreNeverReused(t *testing.T) {
	for _, seed := range storetest.FewOf([]uint64{0, 1, 2, 3, 4, 5, 6, 7}, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 10))
			w := fresh(t)
			root := w.root
			there := map[int]string{}
			highest := 0
			add := func(n int) {
				if there[n] == "" {
					there[n] = issuePath(issueID(n))
					put(t, root, there[n], issueID(n), "open")
				}
				if n <= 999_999 {
					highest = max(highest, n)
				}
			}
			some := func() int {
				if len(there) == 0 {
					return 0
				}
				return slices.Sorted(maps.Keys(there))[random.IntN(len(there))]
			}
			for range 40 {
				switch random.IntN(6) {
				case 0:
					add(1_000_000 + random.IntN(50))
				case 1:
					add(highest + 1 + random.IntN(4_000))
				case 2:
					if n := some(); n > 0 {
						if err := os.Remove(w.file(there[n])); err != nil {
							t.Fatal(err)
						}
						delete(there, n)
					}
				case 3:
					if n := some(); n > 0 {
						if _, err := w.Delete(t.Context(), DocumentRef{ID: there[n]}); err != nil {
							t.Fatal(err)
						}
						delete(there, n)
					}
				case 4:
					w = serve(t, root, index.Options{Mode: index.ModeVerify})
				default:
					done, err := w.Create(t.Context(), store.NewDocument{Title: fmt.Sprint("New ", random.Uint64())}, false)
					if err != nil || done.After.ID != issueID(highest+1) {
						t.Fatalf("created %+v, %v; want %s of %v", done.After, err, issueID(highest+1), there)
					}
					highest++
					there[highest] = done.Path
				}
				if _, err := w.ix.Problems(t.Context()); err != nil { // has the index follow
					t.Fatal(err)
				}
			}
		})
	}
}
