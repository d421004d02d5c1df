package index

import (
	"database/sql"
	"testing"

	"issues-index/index/db"
)

// A device has another number after each start of a container, and on some file
// systems after each mount.
func TestAnotherDeviceNumberKeepsTheIndexAndItsCursors(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]string{
		"and the files are the same": `SELECT 1`,
		// An image was changed and mounted in the place of its original.
		"and files have another content though they look the same": `UPDATE document SET hash = x'00', title = 'Another', rev = rev + 1 WHERE doc % 3 = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, 30)
			c := &casket{tree: w, path: w.abs(DefaultPath), prints: w.print()}
			ix, _ := w.open(Options{Mode: ModeVerify})
			page, err := findPage(t.Context(), ix, Query{Limit: 10})
			w.must(err)
			w.must(ix.Rest(t.Context()))
			built := ix.engine.build.generation
			w.close(ix)

			c.database(c.path, `UPDATE document SET device = device + 7`, forge)
			w.must(w.withRows(c.path, func(db *sql.DB, rows []*indexedFile) error {
				var d filesetHash
				for _, k := range rows {
					d.add(k.path, k.stat, k.unwatched)
				}
				for number, p := range d {
					if _, err := db.Exec(`UPDATE digest SET files = ?, devices = ? WHERE part = ?`, p.files, p.devices, number); err != nil {
						return err
					}
				}
				return nil
			}))

			again, log := w.open(Options{Mode: ModeVerify})
			w.check(again)
			if again.engine.build.generation != built {
				t.Error("the index was built again")
			}
			next, err := again.Find(t.Context(), Query{Cursor: page.Next})
			w.must(err)
			if len(next.Rows) != 10 {
				t.Errorf("the cursor of before leads to %d rows", len(next.Rows))
			}
			if l := log.all(); len(l) > 0 {
				t.Errorf("warnings: %q", l)
			}
			w.must(again.view(t.Context(), func(tx *db.Snapshot) error {
				rows, err := indexedWhere(t.Context(), tx, "true")
				for _, k := range rows {
					if stat, err := again.ws.Stat(k.path); err != nil || stat.Device != k.stat.Device {
						t.Errorf("%s: device %d is remembered as %d, %v", k.path, stat.Device, k.stat.Device, err)
					}
				}
				return err
			}))
		})
	}
}

// withRows shows what an index that nobody has open remembers of files.
func (w *tree) withRows(path string, use func(*sql.DB, []*indexedFile) error) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := indexedWhere(w.Context(), db, "true")
	if err != nil {
		return err
	}
	return use(db, rows)
}
