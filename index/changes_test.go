package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A hand makes random changes to a workspace, as editors, git and people do.
type hand struct {
	*tree
	*rand.Rand
	made   int
	parked []move // folders that were taken away, to be brought back
}

type move struct{ from, to string }

// Documents that are reached by another name, too. Their folders are never moved.
const (
	linkedFile   = ".wrangler/issues/links/file.md"   // a symbolic link to linkTarget
	linkedFolder = ".wrangler/ideas/links/folder"     // a symbolic link to the folder of folderTarget
	hardLink     = ".wrangler/issues/links/hard.md"   // the same file as hardTwin
	innerLink    = ".wrangler/issues/links/second.md" // the same file as innerTwin, both documents
	linkTarget   = "outside/target.md"
	folderTarget = "outside/folder/inner.md"
	hardTwin     = "outside/hard.md"
	innerTwin    = ".wrangler/ideas/links/first.md"
)

// newHand prepares the links, too.
func newHand(w *tree, r *rand.Rand) *hand {
	h := &hand{tree: w, Rand: r}
	w.mkdir("shared/inner")
	for i, dir := range []string{"shared", "shared", "shared/inner"} {
		w.write(fmt.Sprintf("%s/shared-%d.md", dir, i), w.text(h.id()))
	}
	for _, dir := range []string{"outside/folder", "parked", ".wrangler/issues/links", ".wrangler/ideas/links"} {
		w.mkdir(dir)
	}
	for _, p := range []string{linkTarget, folderTarget, hardTwin, innerTwin} {
		w.write(p, w.text(h.id()))
	}
	w.must(os.Symlink("../../../outside/target.md", w.abs(linkedFile)))
	w.must(os.Symlink("../../../outside/folder", w.abs(linkedFolder)))
	w.must(os.Link(w.abs(hardTwin), w.abs(hardLink)))
	return h
}

func (h *hand) id() string {
	h.made++
	return fmt.Sprintf("NEW-%04d", h.made)
}

// documents are the documents that may be moved and deleted.
func (h *hand) documents() []string {
	var free []string
	for _, p := range h.paths() {
		if !strings.Contains(p, "/links/") {
			free = append(free, p)
		}
	}
	return free
}

// document picks one, after making one if there is none.
func (h *hand) document() string {
	free := h.documents()
	if len(free) == 0 {
		return h.create()
	}
	return free[h.IntN(len(free))]
}

// folders are those below the collections, and the collections that are there.
func (h *hand) folders() []string {
	var dirs []string
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := os.ReadDir(h.abs(dir))
		if err != nil {
			return
		}
		dirs = append(dirs, dir)
		for _, e := range entries {
			if e.IsDir() && e.Name() != "links" {
				walk(path.Join(dir, e.Name()))
			}
		}
	}
	for _, c := range []string{"issues", "specifications", "ideas"} {
		walk(".wrangler/" + c)
	}
	return dirs
}

// innerFolders are those that are no collections themselves.
func (h *hand) innerFolders() []string {
	return slices.DeleteFunc(h.folders(), func(dir string) bool { return strings.Count(dir, "/") < 2 })
}

// folder picks one; inner ones only, when the collections themselves will not do.
func (h *hand) folder(inner bool) string {
	dirs := h.folders()
	if inner {
		dirs = h.innerFolders()
	}
	if len(dirs) == 0 {
		dir := fmt.Sprintf(".wrangler/issues/made-%d", h.words)
		h.mkdir(dir)
		h.write(dir+"/only.md", h.text(h.id()))
		return dir
	}
	return dirs[h.IntN(len(dirs))]
}

func (h *hand) create() string {
	if len(h.folders()) == 0 {
		h.mkdir(".wrangler/issues")
	}
	id := h.id()
	p := path.Join(h.folder(false), id+".md")
	h.write(p, h.text(id))
	return p
}

// vacant is a name in a folder that nothing has.
func (h *hand) vacant(dir, name string) string {
	p := path.Join(dir, name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(h.abs(p)); os.IsNotExist(err) {
			return p
		}
		p = path.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, path.Ext(name)), n, path.Ext(name)))
	}
}

// saveByRename replaces a file as vim and VS Code do.
func (h *hand) saveByRename(p, text string) {
	temporary := path.Join(path.Dir(p), []string{"4913", ".x.md.swp", "x.md~", ".tmp-1.md"}[h.IntN(4)])
	h.write(temporary, text)
	h.rename(temporary, p)
}

// edited is a document's next text.
func (h *hand) edited(p string) string {
	return h.text(plainOf(p, h.read(p)).ID) + strings.Repeat("And more. ", h.IntN(5))
}

// setTime sets a file's times; its ctime nobody can set.
func (h *hand) setTime(p string, at time.Time) { h.must(os.Chtimes(h.abs(p), at, at)) }

func (h *hand) timeOf(p string) time.Time {
	info, err := os.Stat(h.abs(p))
	h.must(err)
	return info.ModTime()
}

// moveFolder moves a folder, unless that would put it into itself.
func (h *hand) moveFolder(from, into string) {
	if into == from || strings.HasPrefix(into, from+"/") {
		into = path.Dir(from)
	}
	h.rename(from, h.vacant(into, fmt.Sprintf("folder-%d", h.words)))
	h.words++
}

// bringBack returns a folder that was taken away, if its place is still there.
func (h *hand) bringBack() bool {
	if len(h.parked) == 0 {
		return false
	}
	last := h.parked[len(h.parked)-1]
	h.parked = h.parked[:len(h.parked)-1]
	h.mkdir(path.Dir(last.from))
	h.rename(last.to, h.vacant(path.Dir(last.from), path.Base(last.from)))
	return true
}

// takeAway moves a folder out of the workspace's collections, unless another hand has.
func (h *hand) takeAway(dir string) {
	if _, err := os.Lstat(h.abs(dir)); os.IsNotExist(err) {
		return
	}
	to := fmt.Sprintf("parked/%d", h.words)
	h.words++
	h.rename(dir, to)
	h.parked = append(h.parked, move{dir, to})
}

// mostFolderLinks bounds the links to folders: each can double the names there are.
const mostFolderLinks = 4

// folderLinks are the links to folders that the hand has made.
func (h *hand) folderLinks() []string {
	var links []string
	for _, dir := range h.folders() {
		entries, err := os.ReadDir(h.abs(dir))
		h.must(err)
		for _, e := range entries {
			if e.Type()&os.ModeSymlink != 0 && strings.HasPrefix(e.Name(), "link-") {
				links = append(links, path.Join(dir, e.Name()))
			}
		}
	}
	return links
}

// linkFolder gives a folder another name.
func (h *hand) linkFolder(to string) {
	if links := h.folderLinks(); len(links) >= mostFolderLinks {
		h.remove(links[0])
	}
	h.link(to, h.linkName(h.folder(false)))
}

// linkName is a name for a link to a folder, before or after most others.
func (h *hand) linkName(dir string) string {
	return h.vacant(dir, fmt.Sprintf("link-%c", 'a'+rune(h.IntN(26))))
}

// link makes a symbolic link to a path relative to the root.
func (h *hand) link(to, at string) {
	h.remove(at)
	h.must(os.Symlink(h.abs(to), h.abs(at)))
}

// thin removes what the hand has made until the tree, which has these texts, has at most so many
// documents, and returns theirs. A renamed collection may have documents only by the links that
// lead to it.
func (h *hand) thin(texts map[string]string, most int) map[string]string {
	for ; len(texts) > most; texts = h.texts() {
		some := slices.Concat(h.innerFolders(), h.folderLinks())
		if len(some) == 0 {
			some = slices.Sorted(maps.Keys(texts))
		}
		h.remove(some[h.IntN(len(some))])
	}
	return texts
}
