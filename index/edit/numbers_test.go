package edit

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/store"
)

func issueID(number int) string { return fmt.Sprintf("ISS-%06d", number) }

// outlying are the ids that check reports as outliers, by path.
func (w workspace) outlying(t *testing.T) (ids []string) {
	t.Helper()
	problems, err := w.ix.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.Problem.Code == "outlying-id" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func (w workspace) wantOutlying(t *testing.T, want ...string) {
	t.Helper()
	if got := w.outlying(t); !slices.Equal(got, want) {
		t.Errorf("outliers are %v, want %v", got, want)
	}
}

func (w workspace) wantNext(t *testing.T, want string) {
	t.Helper()
	done, err := w.Create(t.Context(), store.NewDocument{Title: "New " + want}, false)
	if err != nil || done.After.ID != want {
		t.Errorf("created %+v, %v; want %s", done.After, err, want)
	}
}

func TestAnOutlyingIDDoesNotPushLaterIDsAway(t *testing.T) {
	t.Run("and is a problem until it is gone", func(t *testing.T) {
		w := fresh(t, "ISS-000007", "ISS-999999999")
		w.wantOutlying(t, "ISS-999999999")
		w.wantNext(t, "ISS-000008")
		if err := os.Remove(w.file(issuePath("ISS-999999999"))); err != nil {
			t.Fatal(err)
		}
		w.wantOutlying(t)
		w.wantNext(t, "ISS-000009")
	})
	t.Run("and is deleted or renamed without a trace", func(t *testing.T) {
		w := fresh(t, "ISS-000007", "ISS-400000000", "ISS-500000000")
		if _, err := w.Delete(t.Context(), DocumentRef{ID: "ISS-400000000"}); err != nil {
			t.Fatal(err)
		}
		w.wantNext(t, "ISS-000008")
		put(t, w.root, issuePath("ISS-400000001"), "ISS-400000001", "open")
		put(t, w.root, issuePath("ISS-500000000"), "ISS-500000001", "open")
		if err := os.Rename(w.file(issuePath("ISS-500000000")), w.file(issuePath("ISS-500000001"))); err != nil {
			t.Fatal(err)
		}
		w.wantOutlying(t, "ISS-400000001", "ISS-500000001")
		w.wantNext(t, "ISS-000009")
	})
	t.Run("and gets another number in its file without a trace", func(t *testing.T) {
		w := fresh(t, "ISS-000007")
		for _, id := range []string{"ISS-400000000", "ISS-400000001"} {
			put(t, w.root, ".wrangler/issues/x.md", id, "open")
			w.wantOutlying(t, id)
		}
		w.wantNext(t, "ISS-000008")
	})
	t.Run("until the others come near, and is remembered from then on", func(t *testing.T) {
		w := fresh(t, "ISS-000007", "ISS-1500000")
		w.wantOutlying(t, "ISS-1500000")
		put(t, w.root, issuePath("ISS-900000"), "ISS-900000", "open")
		w.wantOutlying(t)
		if err := os.Remove(w.file(issuePath("ISS-1500000"))); err != nil {
			t.Fatal(err)
		}
		w.wantOutlying(t)
		w.wantNext(t, "ISS-1500001")
	})
	t.Run("nor is its number given out when another process has come near", func(t *testing.T) {
		w := fresh(t, "ISS-000010", "ISS-1000011")
		cache := w.file(".wrangler/cache")
		err := errors.Join(os.MkdirAll(cache, 0o755), os.WriteFile(filepath.Join(cache, "ids"), []byte("ISS 001000010\n"), 0o644))
		if err != nil {
			t.Fatal(err)
		}
		w.wantNext(t, "ISS-1000012")
	})
	t.Run("nor does one that a bare number or a file name has", func(t *testing.T) {
		w := fresh(t, "ISS-000007")
		put(t, w.root, issuePath("ISS-900000000"), "other", "open")
		put(t, w.root, ".wrangler/ideas/ISS-800000000-x.md", "ISS-800000000", "open")
		w.wantOutlying(t, "ISS-800000000", "other")
		w.wantNext(t, "ISS-000008")
	})
	t.Run("but documents near each other are no outliers, and are remembered when they are gone", func(t *testing.T) {
		w := fresh(t, "ISS-000007")
		w.wantOutlying(t)
		for n := 5_000_000; n <= 5_000_120; n++ {
			put(t, w.root, issuePath(issueID(n)), issueID(n), "open")
		}
		w.wantOutlying(t)
		for n := 5_000_000; n <= 5_000_120; n++ {
			if err := os.Remove(w.file(issuePath(issueID(n)))); err != nil {
				t.Fatal(err)
			}
		}
		w.wantNext(t, "ISS-5000121")
	})
	t.Run("and the document is named that leaves no number", func(t *testing.T) {
		w := fresh(t, "ISS-000007", "ISS-998999998", "ISS-998999999")
		_, err := w.Create(t.Context(), store.NewDocument{Title: "New"}, false)
		var conflict *store.ConflictError
		if !errors.As(err, &conflict) || conflict.Path != issuePath("ISS-998999999") || !strings.Contains(conflict.Reason, "issues-index rebuild") {
			t.Errorf("%v", err)
		}
		for _, id := range []string{"ISS-998999998", "ISS-998999999"} {
			if _, err := w.Delete(t.Context(), DocumentRef{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Create(t.Context(), store.NewDocument{Title: "New"}, false); err == nil || !strings.Contains(err.Error(), "issues-index rebuild") {
			t.Errorf("%v", err)
		}
		if _, err := w.ix.Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		w.wantNext(t, "ISS-000008")
	})
}

// TestIDsAmongOutliersAreNeverReused changes documents from outside and through
// the writer, and compares each new id with the rule: one above the highest number
// that ever counted, where a number counts when another that is there, or the
// highest so far, lies up to a million below it.
func TestIDsAmongOutliersAreNeverReused(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 10))
			w := fresh(t)
			root := w.root
			there := map[int]string{}
			highest := 0
			// settle has the index follow, and moves the highest number on.
			settle := func() {
				t.Helper()
				var outliers []string
				for moved := true; moved; {
					moved, outliers = false, nil
					for n := range there {
						counts := n-highest <= store.MaxNumberGap
						for m := range there {
							counts = counts || m < n && n-m <= store.MaxNumberGap
						}
						switch {
						case n <= highest:
						case counts && n < 998_000_000:
							highest, moved = n, true
						default:
							outliers = append(outliers, issueID(n))
						}
					}
				}
				got := w.outlying(t)
				slices.Sort(got)
				slices.Sort(outliers)
				if !slices.Equal(got, outliers) {
					t.Fatalf("above %d the outliers are %v, want %v", highest, got, outliers)
				}
			}
			add := func(n int) {
				if there[n] == "" {
					there[n] = issuePath(issueID(n))
					put(t, root, there[n], issueID(n), "open")
				}
			}
			some := func() int {
				if len(there) == 0 {
					return 0
				}
				return slices.Sorted(maps.Keys(there))[random.IntN(len(there))]
			}
			for range 40 {
				far := []int{1_900_000, 2_400_000, 5_000_000, 6_000_100, 400_000_000, 999_999_900}[random.IntN(6)] + random.IntN(50)
				switch random.IntN(9) {
				case 0, 1:
					add(far)
				case 2:
					if random.IntN(4) == 0 {
						add(far)
						add(far + 1 + random.IntN(3))
					}
				case 3:
					add(highest + 1 + random.IntN(400_000))
				case 4:
					if n := some(); n > 0 {
						if err := os.Remove(w.file(there[n])); err != nil {
							t.Fatal(err)
						}
						delete(there, n)
					}
				case 5:
					if n := some(); n > 0 {
						if _, err := w.Delete(t.Context(), DocumentRef{ID: there[n]}); err != nil {
							t.Fatal(err)
						}
						delete(there, n)
					}
				case 6:
					// One that is renamed was never there twice.
					n, to := some(), far
					if n > highest && there[to] == "" {
						put(t, root, there[n], issueID(to), "open")
						if err := os.Rename(w.file(there[n]), w.file(issuePath(issueID(to)))); err != nil {
							t.Fatal(err)
						}
						delete(there, n)
						there[to] = issuePath(issueID(to))
					}
				case 7:
					w = serve(t, root, index.Options{Mode: index.ModeVerify})
				default:
					done, err := w.Create(t.Context(), store.NewDocument{Title: fmt.Sprint("New ", random.Uint64())}, false)
					if err != nil || done.After.ID != issueID(highest+1) {
						t.Fatalf("created %+v, %v; want %s of %v", done.After, err, issueID(highest+1), there)
					}
					highest++
					there[highest] = done.Path
				}
				settle()
			}
		})
	}
}
