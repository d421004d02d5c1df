package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/storetest"
)

// A tree is a workspace on disk that a test changes behind the index's back.
type tree struct {
	testing.TB
	root  string
	words int // given out so far
}

// newTree makes a workspace with documents in all collections.
func newTree(tb testing.TB, documents int) *tree {
	tb.Helper()
	root, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	w := &tree{TB: tb, root: root}
	folders := []string{"issues", "issues/archived", "issues/area/deep", "specifications", "ideas"}
	for _, dir := range folders {
		w.mkdir(".wrangler/" + dir)
	}
	for i := range documents {
		w.write(fmt.Sprintf(".wrangler/%s/DOC-%04d.md", folders[i%len(folders)], i), w.text(fmt.Sprintf("DOC-%04d", i)))
	}
	return w
}

func (w *tree) abs(p string) string { return filepath.Join(w.root, filepath.FromSlash(p)) }

// must fails the test on an error.
func (w *tree) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *tree) mkdir(p string)  { w.Helper(); w.must(os.MkdirAll(w.abs(p), 0o755)) }
func (w *tree) remove(p string) { w.Helper(); w.must(os.RemoveAll(w.abs(p))) }

// renamePatiently tries again where the system refuses it while a server reads the file.
func renamePatiently(from, to string) (err error) {
	for range 200 {
		if err = os.Rename(from, to); err == nil || runtime.GOOS != "windows" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// rename copies a folder where the system does not move it, as mv does.
func (w *tree) rename(from, to string) {
	w.Helper()
	err := renamePatiently(w.abs(from), w.abs(to))
	if err != nil && strings.Contains(err.Error(), "cross-device") {
		w.must(os.CopyFS(w.abs(to), os.DirFS(w.abs(from))))
		err = os.RemoveAll(w.abs(from))
	}
	w.must(err)
}

func (w *tree) write(p, text string) {
	w.Helper()
	w.must(os.WriteFile(w.abs(p), []byte(text), 0o644))
}

func (w *tree) read(p string) string {
	w.Helper()
	data, err := os.ReadFile(w.abs(p))
	w.must(err)
	return string(data)
}

// text is a document with a word in its title and body that no other has. With
// ids of one length, all texts are of one length; none of the words is a part
// of another.
func (w *tree) text(id string) string {
	w.words++
	return fmt.Sprintf("---\nid: %[1]s\ntitle: About zq%07[2]d\nstatus: %-11[3]s\nlabels: [l%[4]d, all]\n---\n\nIt says zq%07[2]d.\n",
		id, w.words, layout.Default().StatusNames()[w.words%4], w.words%3)
}

var ownWords = regexp.MustCompile(`zq\d{7}`)

// wordsOf are the words of its own that a document has.
func wordsOf(text string) []string {
	found := ownWords.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// texts reads every document there is, by path.
func (w *tree) texts() map[string]string {
	w.Helper()
	texts := map[string]string{}
	for _, p := range w.paths() {
		texts[p] = w.read(p)
	}
	return texts
}

// paths finds every document as a person would: through links to files and to collections,
// passing over what is hidden, temporary or no document.
func (w *tree) paths() []string {
	w.Helper()
	var found []string
	seen := map[string]bool{}
	var walk func(dir string)
	walk = func(dir string) {
		inside, err := filepath.EvalSymlinks(w.abs(dir))
		if os.IsNotExist(err) || seen[inside] {
			return
		}
		w.must(err)
		seen[inside] = true
		entries, err := os.ReadDir(w.abs(dir))
		if os.IsNotExist(err) {
			return
		}
		w.must(err)
		var below []string
		for _, e := range entries {
			p := path.Join(dir, e.Name())
			mode := e.Type()
			link := mode&fs.ModeSymlink != 0
			if link {
				target, err := filepath.EvalSymlinks(w.abs(p))
				if err != nil || !strings.HasPrefix(target+"/", w.root+"/") {
					continue
				}
				info, err := os.Stat(target)
				if err != nil {
					continue
				}
				mode = info.Mode()
			}
			switch name := e.Name(); {
			case name[0] == '.', name == "README.md", strings.Contains(name, ".sync-conflict-"):
			case mode.IsDir() && link: // is not followed
			case mode.IsDir():
				below = append(below, p)
			case strings.HasSuffix(name, ".md"):
				found = append(found, p)
			}
		}
		for _, p := range below {
			walk(p)
		}
	}
	for _, dir := range []string{"issues", "specifications", "ideas"} {
		walk(".wrangler/" + dir)
	}
	slices.Sort(found)
	return found
}

// check compares all that an index answers with the files. Of their texts it searches for some
// words, and for all with -long.
func (w *tree) check(ix *Index) {
	w.Helper()
	texts := w.texts()
	var words []string
	for _, text := range texts {
		words = append(words, wordsOf(text)...)
	}
	w.checkWords(ix, storetest.FewOf(words, 20)...)
}

// checkWords compares an index with the files; of the texts, these words only.
func (w *tree) checkWords(ix *Index, words ...string) {
	w.Helper()
	got, err := answersOf(context.Background(), ix, words)
	w.must(err)
	if d := difference(got, asRead(w.texts(), words)); d != "" {
		w.Fatal(d)
	}
	w.checkLooks(ix)
}

// checkLooks compares what the rows say of the looks of files with their columns.
func (w *tree) checkLooks(ix *Index) {
	w.Helper()
	w.must(ix.view(context.Background(), func(tx *db.Snapshot) error {
		looks, err := numbers(context.Background(), tx, "SELECT group_concat(look) FROM document")
		w.must(err)
		rows, err := indexedWhere(context.Background(), tx, "true")
		w.must(err)
		for _, k := range rows {
			if i := slices.Index(looks, lookOf(k.path, k.stat)); k.unwatched == unwatched(k.stat) && i < 0 {
				w.Errorf("no row has the look of %s", k.path)
			}
		}
		return nil
	}))
}

// open serves the tree until the test ends. Warnings are in the log.
func (w *tree) open(o Options) (*Index, *warnings) { w.Helper(); return w.openWith(o, nil) }

// openWith serves it with variables of the environment.
func (w *tree) openWith(o Options, env map[string]string) (*Index, *warnings) {
	w.Helper()
	log := &warnings{}
	o.Log = slog.New(log)
	ix, err := openAt(w.root, o, env)
	w.must(err)
	w.Cleanup(func() {
		if err := closeAll(ix); err != nil {
			w.Error(err)
		}
	})
	return ix, log
}

func openAt(root string, o Options, env map[string]string) (*Index, error) {
	ws, err := store.Open(store.Options{Root: root, Getenv: func(name string) string { return env[name] }})
	if err != nil {
		return nil, err
	}
	return Open(context.Background(), ws, o)
}

// closeAll closes an index and its workspace; a second time it does nothing.
func closeAll(ix *Index) error {
	err := ix.Close()
	if wsErr := ix.ws.Close(); err == nil {
		err = wsErr
	}
	return err
}

// close closes an index before the test ends.
func (w *tree) close(ix *Index) { w.Helper(); w.must(closeAll(ix)) }

// print is what each file of the workspace looks like, the index's excepted: to
// prove that none was touched.
func (w *tree) print() map[string]string {
	w.Helper()
	prints := map[string]string{}
	w.must(filepath.WalkDir(w.root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == w.abs(path.Dir(DefaultPath)) {
			return fs.SkipDir
		}
		if e.IsDir() {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		prints[p] = fmt.Sprintf("%v %x %+v", info.Mode(), sha256.Sum256(data), store.StatOf(info))
		return err
	}))
	return prints
}

// untouched fails the test when a document is not as it was.
func (w *tree) untouched(before map[string]string) {
	w.Helper()
	if after := w.print(); !reflect.DeepEqual(before, after) {
		w.Fatalf("documents were touched:\nbefore %v\nafter  %v", before, after)
	}
}

// cached are the names in the index's folder, the watcher's excepted.
func (w *tree) cached() []string {
	w.Helper()
	entries, err := os.ReadDir(w.abs(path.Dir(DefaultPath)))
	w.must(err)
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// warnings is a log that keeps what is worth a person's attention.
type warnings struct {
	mu    sync.Mutex
	lines []string
}

func (l *warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (l *warnings) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *warnings) WithGroup(string) slog.Handler                    { return l }

func (l *warnings) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

func (l *warnings) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}
