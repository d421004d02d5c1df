package index

import (
	"fmt"
	"testing"

	"issues-index/migrations"
)

func TestTwoVersionsOfTheProgram(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]int{"an older": migrations.Version - 1, "a newer": migrations.Version + 1} {
		t.Run(name+" version's index is left alone while it is in use, and replaced later", func(t *testing.T) {
			w := newTree(t, 20)
			other, _ := w.open(Options{})
			w.check(other)
			_, err := other.db.write.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, version))
			w.must(err)
			built := generation(t, w.abs(DefaultPath))

			mine, _ := w.open(Options{})
			w.check(mine)
			if mine.place.path == other.place.path {
				t.Fatal("both use one file")
			}
			second, _ := w.open(Options{})
			w.check(second)
			if second.place.path != mine.place.path {
				t.Error("two servers of one version do not share a file")
			}
			_, err = mine.Rebuild(t.Context(), nil)
			w.must(err)
			for _, ix := range []*Index{mine, second, other} {
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				w.check(ix)
			}
			_, rows, err := QueryRaw(t.Context(), w.abs(DefaultPath), `SELECT generation, user_version FROM state, pragma_user_version`)
			w.must(err)
			if rows[0][0] != built || rows[0][1] != int64(version) {
				t.Errorf("the other version's index is %v now, it was %s %d", rows[0], built, version)
			}

			w.close(other)
			w.close(mine)
			w.close(second)
			later, _ := w.open(Options{})
			w.check(later)
			if later.place.path != w.abs(DefaultPath) {
				t.Errorf("the file lies at %s still", later.place.path)
			}
			sound(t, later)
		})
	}
}
