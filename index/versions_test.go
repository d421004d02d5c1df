package index

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index/db"
	"issues-index/migrations"
	"issues-index/store/storetest"
)

func TestTwoVersionsOfTheProgram(t *testing.T) {
	t.Parallel()
	for name, makes := range storetest.Few(map[string]string{
		"an older version": fmt.Sprintf(`PRAGMA user_version = %d`, migrations.FirstYielding-1),
		"the build before": fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version-1),
		"a newer version":  fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version+1),
		"another build":    `UPDATE state SET schema = 'another'`,
	}, 1) {
		t.Run(name+"'s index is left alone while it is in use, and replaced later unless its programs would do the same", func(t *testing.T) {
			w := newTree(t, 20)
			other, _ := w.open(Options{})
			w.check(other)
			_, err := other.db.Write.Exec(makes)
			w.must(err)
			built := generation(t, w.abs(DefaultPath))

			mine, _ := w.open(Options{})
			w.check(mine)
			beside := mine.db.Path
			if beside == other.db.Path {
				t.Fatal("both use one file")
			}
			second, _ := w.open(Options{})
			w.check(second)
			if second.db.Path != beside {
				t.Error("two servers of one version do not share a file")
			}
			if _, err = mine.Rebuild(t.Context()); (err == nil) != replacesOpenFiles { // second has the file open
				t.Errorf("a rebuild says %v", err)
			}
			for _, ix := range []*Index{mine, second, other} {
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				w.check(ix)
			}
			_, rows, err := db.QueryRaw(t.Context(), w.abs(DefaultPath), `SELECT generation FROM state`)
			w.must(err)
			if rows[0][0] != built {
				t.Errorf("the other's index is %v now, it was %s", rows[0], built)
			}

			w.close(other)
			w.close(mine)
			w.close(second)
			later, _ := w.open(Options{})
			w.check(later)
			sound(t, later)
			if strings.HasSuffix(name, "version") {
				if later.db.Path != beside {
					t.Errorf("the file lies at %s", later.db.Path)
				}
				w.close(later)
				lastMonth := time.Now().Add(-30*24*time.Hour - time.Hour)
				w.must(os.Chtimes(w.abs(DefaultPath), lastMonth, lastMonth))
				later, _ = w.open(Options{})
				w.check(later)
				if replaced := later.db.Path == w.abs(DefaultPath); replaced != (name == "an older version") {
					t.Errorf("a month later the file lies at %s", later.db.Path)
				}
				return
			}
			if later.db.Path != w.abs(DefaultPath) {
				t.Errorf("the file lies at %s still", later.db.Path)
			}
			if _, err := os.Stat(beside); !os.IsNotExist(err) {
				t.Errorf("the index beside it is there still: %v", err)
			}
		})
	}
}

// While others had the index open, servers of other folders made one of their own.
func TestAnIndexThatNobodyUsesIsDeleted(t *testing.T) {
	t.Parallel()
	w := newTree(t, 5)
	w.mkdir("notes")
	w.write("notes/n.md", w.text("n"))
	first, _ := w.open(Options{})
	w.check(first)
	elsewhere := map[string]string{"WRANGLER_IDEAS_DIRECTORY": "notes"}
	second, _ := w.openWith(Options{}, elsewhere)
	_, err := second.Health(t.Context())
	w.must(err)
	beside := second.db.Path
	if beside == first.db.Path {
		t.Fatal("both use one file")
	}
	kept := []string{first.db.Path + ".20260115", first.db.Path + ".20260116", first.db.Path + ".copy"}
	for _, path := range kept {
		w.must(os.WriteFile(path, []byte("somebody's"), 0o600))
	}
	w.close(first)

	again, log := w.open(Options{})
	w.check(again)
	if _, err := os.Stat(beside); err != nil {
		t.Errorf("while it is in use: %v", err)
	}
	if _, err := second.Health(t.Context()); err != nil {
		t.Error(err)
	}
	w.close(second)
	w.close(again)
	again, _ = w.open(Options{})
	w.check(again)
	if _, err := os.Stat(beside); err != nil {
		t.Errorf("soon after it was used: %v", err)
	}
	w.close(again)
	lastMonth := time.Now().Add(-30*24*time.Hour - time.Hour)
	w.must(os.Chtimes(beside, lastMonth, lastMonth))
	again, _ = w.open(Options{})
	w.check(again)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if _, err := os.Stat(beside + suffix); !os.IsNotExist(err) {
			t.Errorf("%s, which nobody uses: %v", beside+suffix, err)
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("what is not ours: %v", err)
		}
	}
	if l := log.all(); len(l) > 0 {
		t.Errorf("warnings: %q", l)
	}
}

// Two shells may set other folders for one workspace, and run commands in turn.
func TestEachSetOfFoldersHasAnIndexOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newTree(t, 5)
	w.mkdir("notes")
	w.write("notes/n.md", w.text("n"))
	settings := []map[string]string{nil, {"WRANGLER_IDEAS_DIRECTORY": "notes"}, {"WRANGLER_ISSUES_DIRECTORY": "notes"}}
	var built []string
	turn := func(rebuild bool) (builds []string) {
		t.Helper()
		for _, env := range settings {
			ix, log := w.openWith(Options{Mode: ModeVerify, Deferred: true}, env)
			if rebuild {
				_, err := ix.Rebuild(t.Context())
				w.must(err)
			}
			_, err := ix.Health(t.Context())
			w.must(err)
			builds = append(builds, ix.engine.build.generation)
			w.close(ix)
			if l := log.all(); len(l) > 0 {
				t.Errorf("warnings: %q", l)
			}
		}
		return builds
	}
	built = turn(false)
	for range 2 {
		if again := turn(false); !slices.Equal(again, built) {
			t.Errorf("the indexes were built again: %q, then %q", built, again)
		}
	}
	built = turn(true) // one's rebuild is none of the others'
	if again := turn(false); !slices.Equal(again, built) {
		t.Errorf("after rebuilds, the indexes were built again: %q, then %q", built, again)
	}

	// When the folders have changed for good, the index is theirs after a month.
	lastMonth := time.Now().Add(-30*24*time.Hour - time.Hour)
	w.must(os.Chtimes(w.abs(DefaultPath), lastMonth, lastMonth))
	ix, log := w.openWith(Options{Mode: ModeVerify}, settings[1])
	h, err := ix.Health(t.Context())
	w.must(err)
	if h.Path != w.abs(DefaultPath) {
		t.Errorf("the index is still kept at %s", h.Path)
	}
	const reason = "covers other folders: .wrangler/issues, .wrangler/specifications, .wrangler/ideas"
	if l := log.all(); len(l) != 1 || !strings.Contains(l[0], reason) {
		t.Errorf("warnings: %q", l)
	}
}
