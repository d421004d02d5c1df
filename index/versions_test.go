package index

import (
	"fmt"
	"testing"

	"issues-index/migrations"
)

func TestTwoVersionsOfTheProgram(t *testing.T) {
	t.Parallel()
	for name, makes := range map[string]string{
		"an older version": fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version-1),
		"a newer version":  fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version+1),
		"another build":    `UPDATE state SET schema = 'another'`,
	} {
		t.Run(name+"'s index is left alone while it is in use, and replaced later", func(t *testing.T) {
			w := newTree(t, 20)
			other, _ := w.open(Options{})
			w.check(other)
			_, err := other.db.write.Exec(makes)
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
			_, rows, err := QueryRaw(t.Context(), w.abs(DefaultPath), `SELECT generation FROM state`)
			w.must(err)
			if rows[0][0] != built {
				t.Errorf("the other's index is %v now, it was %s", rows[0], built)
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
