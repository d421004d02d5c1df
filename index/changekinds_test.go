package index

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
	"time"
)

// A changeKind is a change that is made from outside, by the name a person would give it. It is
// finished when its function returns.
type changeKind struct {
	name   string
	change func(h *hand)
}

var kinds = []changeKind{
	{"a document is edited", func(h *hand) {
		p := h.document()
		h.write(p, h.edited(p))
	}},
	{"a document is created", func(h *hand) { h.create() }},
	{"a document is created in a new nested folder", func(h *hand) {
		id := h.id()
		dir := path.Join(h.folder(false), fmt.Sprintf("new-%d", h.words), "inner")
		h.mkdir(dir)
		h.write(dir+"/"+id+".md", h.text(id))
	}},
	{"a document is deleted", func(h *hand) { h.remove(h.document()) }},
	{"a document is deleted and written again", func(h *hand) {
		p := h.document()
		text := h.edited(p)
		h.remove(p)
		h.write(p, text)
	}},
	{"a document is saved by rename", func(h *hand) {
		p := h.document()
		h.saveByRename(p, h.edited(p))
	}},
	{"a document is saved with a backup", func(h *hand) {
		p := h.document()
		text := h.edited(p)
		h.rename(p, p+"~")
		h.write(p, text)
		h.remove(p + "~")
	}},
	{"a document moves to archived/ or back", func(h *hand) {
		p := h.document()
		to := path.Join(path.Dir(p), "archived")
		if path.Base(path.Dir(p)) == "archived" {
			to = path.Dir(path.Dir(p))
		}
		h.mkdir(to)
		h.rename(p, h.vacant(to, path.Base(p)))
	}},
	{"a document moves to another folder", func(h *hand) {
		p := h.document()
		h.rename(p, h.vacant(h.folder(false), path.Base(p)))
	}},
	{"a document moves and is edited", func(h *hand) {
		p := h.document()
		to := h.vacant(h.folder(false), path.Base(p))
		h.rename(p, to)
		h.write(to, h.edited(to))
	}},
	{"a document gets another name", func(h *hand) {
		p := h.document()
		h.rename(p, h.vacant(path.Dir(p), fmt.Sprintf("named-%d.md", h.words)))
		h.words++
	}},
	{"a document's name changes its letter case", func(h *hand) {
		p := h.document()
		name := path.Base(p)
		if name = strings.ToLower(name); name == path.Base(p) {
			name = strings.ToUpper(strings.TrimSuffix(name, ".md")) + ".md"
		}
		h.rename(p, h.vacant(path.Dir(p), name))
	}},
	{"a document takes another's place", func(h *hand) { h.rename(h.document(), h.document()) }},
	{"two documents change places", func(h *hand) {
		a, b := h.document(), h.document()
		h.rename(a, "parked/swap")
		if a != b {
			h.rename(b, a)
		}
		h.rename("parked/swap", b)
	}},
	{"a document is copied with its times", func(h *hand) {
		p := h.document()
		to := h.vacant(h.folder(false), path.Base(p))
		h.write(to, h.read(p))
		h.setTime(to, h.timeOf(p))
	}},
	{"an edit leaves size and mtime as they were", func(h *hand) {
		p := h.document()
		text, at := h.read(p), h.timeOf(p)
		if words := wordsOf(text); len(words) > 0 {
			h.words++
			text = strings.ReplaceAll(text, words[0], fmt.Sprintf("zq%07d", h.words))
		}
		if h.IntN(2) == 0 {
			h.write(p, text)
		} else {
			h.saveByRename(p, text)
		}
		h.setTime(p, at)
	}},
	{"an edit's mtime lies in the future", func(h *hand) {
		p := h.document()
		h.write(p, h.edited(p))
		h.setTime(p, time.Now().Add(time.Duration(h.IntN(1000))*time.Hour))
	}},
	{"an edit's mtime lies in the past", func(h *hand) {
		p := h.document()
		h.write(p, h.edited(p))
		h.setTime(p, time.Unix(int64(h.IntN(1e9)), 0))
	}},
	{"only the mtime changes", func(h *hand) { h.setTime(h.document(), time.Unix(int64(h.IntN(2e9)), 0)) }},
	{"only the mode changes", func(h *hand) { h.must(os.Chmod(h.abs(h.document()), 0o600|os.FileMode(h.IntN(0o77)))) }},
	{"a document is emptied", func(h *hand) { h.must(os.Truncate(h.abs(h.document()), 0)) }},
	{"a document is appended to", func(h *hand) {
		f, err := os.OpenFile(h.abs(h.document()), os.O_WRONLY|os.O_APPEND, 0)
		h.must(err)
		_, err = f.WriteString("\nAnd " + wordsOf(h.text(""))[0] + ".\n")
		h.must(err)
		h.must(f.Close())
	}},
	{"some bytes are overwritten in place", func(h *hand) {
		p := h.document()
		words := wordsOf(h.read(p))
		if len(words) == 0 {
			return
		}
		at := strings.LastIndex(h.read(p), words[0])
		f, err := os.OpenFile(h.abs(p), os.O_WRONLY, 0)
		h.must(err)
		_, err = f.WriteAt([]byte(wordsOf(h.text(""))[0]), int64(at))
		h.must(err)
		h.must(f.Close())
	}},
	{"files that are no documents come and go", func(h *hand) {
		dir := h.folder(false)
		for _, name := range []string{"README.md", ".hidden.md", "x.md.swp", "a.sync-conflict-20260101-000000-ABC.md", "notes.txt"} {
			if p := path.Join(dir, name); h.IntN(2) == 0 {
				h.write(p, h.text("NOT-0000"))
			} else {
				h.remove(p)
			}
		}
	}},
	{"a document becomes a file of another kind", func(h *hand) { h.rename(h.document(), path.Join(h.folder(false), "notes.txt")) }},
	{"a folder takes a document's place", func(h *hand) {
		p := h.document()
		h.remove(p)
		h.mkdir(p)
		h.write(p+"/inner.md", h.text(h.id()))
	}},
	{"a folder is deleted with all in it", func(h *hand) { h.remove(h.folder(true)) }},
	{"another branch is checked out", func(h *hand) {
		for range 12 {
			switch p := h.document(); h.IntN(4) {
			case 0:
				h.remove(p)
			case 1:
				h.create()
			case 2: // git unlinks and writes anew
				text := h.edited(p)
				h.remove(p)
				h.write(p, text)
			default:
				h.saveByRename(p, h.edited(p))
			}
		}
	}},
	{"a symbolic link's target is edited", func(h *hand) { h.write(linkTarget, h.text("LINK-001")) }},
	{"a symbolic link's target is saved by rename", func(h *hand) { h.saveByRename(linkTarget, h.text("LINK-002")) }},
	{"a symbolic link's target goes, or comes again", func(h *hand) {
		if _, err := os.Stat(h.abs(linkTarget)); err == nil {
			h.remove(linkTarget)
		} else {
			h.write(linkTarget, h.text("LINK-003"))
		}
	}},
	{"a linked folder's document is edited", func(h *hand) { h.write(folderTarget, h.text("LINK-004")) }},
	{"a linked folder's documents come and go", func(h *hand) {
		h.remove("outside/folder/more")
		if h.IntN(2) == 0 {
			h.mkdir("outside/folder/more")
			h.write("outside/folder/more/m.md", h.text("LINK-005"))
		}
	}},
	{"a hard link is edited by its other name", func(h *hand) { h.write(hardTwin, h.text("HARD-001")) }},
	{"a document gets a second name, or loses it", func(h *hand) {
		h.mkdir(path.Dir(innerTwin))
		h.mkdir(path.Dir(innerLink))
		if _, err := os.Stat(h.abs(innerTwin)); err != nil {
			h.write(innerTwin, h.text("HARD-002"))
		}
		if _, err := os.Stat(h.abs(innerLink)); err == nil {
			h.remove(innerLink)
		} else {
			h.must(os.Link(h.abs(innerTwin), h.abs(innerLink)))
		}
	}},
	{"a document with two names is edited", func(h *hand) {
		if _, err := os.Stat(h.abs(innerLink)); err == nil {
			h.write(innerLink, h.text("HARD-003"))
		}
	}},
	{"a folder gets another name by a link", func(h *hand) { h.linkFolder(h.folder(false)) }},
	{"a folder outside of the collections gets another name by a link", func(h *hand) {
		h.linkFolder([]string{"shared/inner", "shared", ".wrangler"}[h.IntN(3)])
	}},
	{"a link to a folder goes", func(h *hand) {
		if links := h.folderLinks(); len(links) > 0 {
			h.remove(links[h.IntN(len(links))])
		}
	}},
	{"a link to a folder leads to another", func(h *hand) {
		if links := h.folderLinks(); len(links) > 0 {
			link := links[h.IntN(len(links))]
			h.remove(link)
			h.link(h.folder(false), link)
		}
	}},
	{"a link to a folder gets another name", func(h *hand) {
		if links := h.folderLinks(); len(links) > 0 {
			h.rename(links[h.IntN(len(links))], h.linkName(h.folder(false)))
		}
	}},
	{"a document is edited by another name of its folder", func(h *hand) {
		for _, link := range h.folderLinks() {
			entries, err := os.ReadDir(h.abs(link))
			if err != nil {
				continue
			}
			for _, e := range entries {
				if p := link + "/" + e.Name(); strings.HasSuffix(p, ".md") && e.Type().IsRegular() {
					h.write(p, h.edited(p))
					return
				}
			}
		}
	}},
	{"a link leads out of the workspace, in a circle or nowhere", func(h *hand) {
		target := []string{"/etc", "/etc/hostname", "circle.md", "../../nowhere.md"}[h.IntN(4)]
		link := h.abs(h.folder(false) + "/circle.md")
		if _, err := os.Lstat(link); err == nil {
			h.must(os.Remove(link))
		}
		h.must(os.Symlink(target, link))
	}},
}

// folderMoves are further kinds. After one of them Wine 8 does not tell of all that happens in the
// folder, since it watches each folder by itself and loses some, so that there each is tried alone.
var folderMoves = []changeKind{
	{"a folder gets another name", func(h *hand) {
		dir := h.folder(true)
		h.moveFolder(dir, path.Dir(dir))
	}},
	{"a folder moves into another", func(h *hand) { h.moveFolder(h.folder(true), h.folder(false)) }},
	{"a folder moves twice", func(h *hand) {
		dir := h.folder(true)
		h.rename(dir, "parked/twice")
		h.rename("parked/twice", h.vacant(h.folder(false), fmt.Sprintf("twice-%d", h.words)))
		h.words++
	}},
	{"a folder's name goes to another folder", func(h *hand) {
		dir := h.folder(true)
		h.moveFolder(dir, path.Dir(dir))
		h.mkdir(dir)
		h.write(dir+"/fresh.md", h.text(h.id()))
	}},
	{"a folder is taken away or brought back", func(h *hand) {
		if h.IntN(2) == 0 || !h.bringBack() {
			h.takeAway(h.folder(true))
		}
	}},
	{"a collection is removed or restored", func(h *hand) {
		if len(h.parked) == 0 || !h.bringBack() {
			h.takeAway(".wrangler/" + []string{"specifications", "ideas"}[h.IntN(2)])
		}
	}},
}

func init() {
	if runtime.GOOS != "windows" {
		kinds = append(kinds, folderMoves...)
	}
}
