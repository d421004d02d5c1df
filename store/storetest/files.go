// Package storetest has what the tests of several packages do with a workspace's files. Only tests
// import it, and it knows nothing of package store. What fails ends the test.
package storetest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/cachedir"
)

// WriteFiles makes files below root, by slash-separated path.
func WriteFiles(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// RealDir returns dir with its symbolic links resolved, as Workspace.Root spells it.
func RealDir(t testing.TB, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// Tree is everything below root by slash-separated path: bytes of files,
// "-> target" of symbolic links, "/" for directories. The cache is left out but
// for temporary files in it.
func Tree(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasPrefix(rel, ".wrangler/cache") && !cachedir.IsTemporary(e.Name()):
		case e.IsDir():
			all[rel] = "/"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			all[rel] = "-> " + target
		default:
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			all[rel] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Corpora is a folder of real Markdown trees. It lies beside the repository, not in it.
func Corpora() string {
	const beside = "../../shared/corpora"
	if _, err := os.Stat(beside); err != nil {
		return "../" + beside
	}
	return beside
}

// CorpusFiles calls f with every Markdown file of a corpus.
func CorpusFiles(t testing.TB, corpus string, f func(name, text string)) {
	t.Helper()
	root := filepath.Join(Corpora(), corpus)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the corpus %s is not here: %v", corpus, err)
	}
	n := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		data, err := os.ReadFile(p)
		if err == nil {
			n++
			f(filepath.Base(p), string(data))
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files, %v", n, err)
	}
}

// HostileYAML is what takes other readers minutes or gigabytes, by name.
func HostileYAML() map[string]string {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	manyKeys := strings.Builder{}
	for i := range 9000 {
		fmt.Fprintf(&manyKeys, "k%d:\n", i)
	}
	return map[string]string{
		"an alias bomb":         bomb,
		"an alias to itself":    "loop: &l [*l]\n",
		"a merge key to itself": "loop: &l\n  <<: *l\n",
		"deep nesting":          "deep: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n",
		"thousands of keys":     manyKeys.String(),
		"thousands of comments": strings.Repeat("# c\n", 15000),
		"a long list":           "x: [" + strings.Repeat("a,", 30000) + "]\n",
		"deep lists":            strings.Repeat("- ", 20000) + "\n",
	}
}

// LaterIncludes are the ways in which a repository can have git read a text as part of its
// configuration in the worktree of a session alone, whose folder has this name. By way they
// are files of the repository; config is to be added to what there is, and the commit must
// have a folder docs.
func LaterIncludes(text, worktree string) map[string]map[string]string {
	const file = "included"
	onCondition := func(condition string) string {
		return "\n[includeIf \"" + condition + "\"]\n\tpath = " + file + "\n"
	}
	ways := map[string]map[string]string{}
	for _, condition := range []string{"gitdir:**/worktrees/**", "gitdir/i:**/WORKTREES/**", "onbranch:wrangler/**"} {
		ways[", if "+condition] = map[string]string{"config": onCondition(condition), file: text}
	}
	ways[", if onbranch in an included file"] = map[string]string{
		"config": "\n[include]\n\tpath = more\n", "more": onCondition("onbranch:wrangler/**"), file: text,
	}

	// git copies two files into its folder for a new worktree. A relative path in the first
	// then begins there.
	const perWorktree, fromThere = "\n[extensions]\n\tworktreeConfig = true\n", "\n[include]\n\tpath = ../../"
	ways[", by a relative path in config.worktree"] = map[string]string{
		"config": perWorktree, "config.worktree": fromThere + file + "\n", file: text,
	}
	const url = "https://later.invalid/"
	ways[", if hasconfig"] = map[string]string{
		"config":          perWorktree + onCondition("hasconfig:remote.*.url:"+url),
		"config.worktree": fromThere + "more\n", "more": "[remote \"later\"]\n\turl = " + url + "\n",
		file: strings.ReplaceAll(text, "url =", "pushurl ="), // git lets the file have no URL of a remote
	}
	const patterns = "info/sparse-checkout"
	ways[", by the patterns of a sparse checkout"] = map[string]string{
		"config": "\n[core]\n\tsparseCheckout = true\n[include]\n\tpath = worktrees/" + worktree + "/" + patterns + "\n",
		patterns: text + "\n[pattern]\ndocs\n",
	}
	return ways
}
