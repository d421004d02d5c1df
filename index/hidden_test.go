package index

import "testing"

// aged makes an index believe that it has read every file long after the file's
// last change, so that it does not read it again to be sure.
func (w *tree) aged(ix *Index) {
	w.Helper()
	ix.sync <- struct{}{}
	defer ix.unlock()
	_, err := ix.db.Write.Exec(`UPDATE document SET read_at = read_at + 3600000000000`)
	w.must(err)
}

// Size and mtime are what a program can set back: the ctime and the inode tell
// all the same.
func TestEditsThatLeaveSizeAndMtime(t *testing.T) {
	t.Parallel()
	const document, second = ".wrangler/issues/DOC-0000.md", ".wrangler/issues/DOC-0005.md"
	for name, edit := range map[string]func(h *hand){
		"written in place":   func(h *hand) { h.write(document, h.text("DOC-0000")) },
		"saved by rename":    func(h *hand) { h.saveByRename(document, h.text("DOC-0000")) },
		"deleted and made":   func(h *hand) { h.remove(document); h.write(document, h.text("DOC-0000")) },
		"replaced by a copy": func(h *hand) { h.write("copy", h.read(second)); h.rename("copy", document) },
		"swapped": func(h *hand) {
			h.rename(document, "kept")
			h.rename(second, document)
			h.rename("kept", second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hand{tree: newTree(t, 10), Rand: seeded(t)}
			at := h.timeOf(document)
			h.setTime(second, at)
			ix, _ := h.open(Options{Mode: ModeVerify})
			h.check(ix)
			for range 3 {
				h.aged(ix)
				before, err := ix.ws.Stat(document)
				h.must(err)
				if before.Ctime == 0 {
					t.Skip("this system has no ctime")
				}
				for now := before; now.Ctime == before.Ctime; { // its clock may tick slowly
					edit(h)
					h.setTime(document, at)
					h.setTime(second, at)
					now, err = ix.ws.Stat(document)
					h.must(err)
				}
				h.check(ix)
			}
		})
	}
}
