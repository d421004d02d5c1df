package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// A trap is a program that leaves a mark when it is run.
type trap struct {
	*testing.T
	program, marks string
}

func newTrap(t *testing.T) trap {
	t.Helper()
	dir := realDir(t, t.TempDir())
	tr := trap{t, filepath.Join(dir, "program"), filepath.Join(dir, "marks")}
	text := "#!/bin/sh\necho \"$0 $*\" >>'" + tr.marks + "'\ncat\n"
	if err := os.WriteFile(tr.program, []byte(text), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return tr
}

// sprung fails the test when the program was run.
func (tr trap) sprung() {
	tr.Helper()
	if data, err := os.ReadFile(tr.marks); err == nil {
		tr.Errorf("a stranger's program ran:\n%s", data)
	}
}

// settings name the program wherever git's configuration can name one.
func (tr trap) settings() string {
	return strings.ReplaceAll(`
[core]
	fsmonitor = PROGRAM
	hooksPath = HOOKS
	sshCommand = PROGRAM
	pager = PROGRAM
	editor = PROGRAM
	askPass = PROGRAM
	gitProxy = PROGRAM
	alternateRefsCommand = PROGRAM
[filter "x"]
	smudge = PROGRAM
	clean = PROGRAM
	process = PROGRAM
	required = true
[filter "a.b"]
	smudge = PROGRAM
[diff]
	external = PROGRAM
[gpg]
	program = PROGRAM
[credential]
	helper = PROGRAM
[hook "x"]
	command = PROGRAM
	event = post-checkout
	event = reference-transaction
[alias]
	worktree = !PROGRAM
	rev-parse = !PROGRAM
	config = !PROGRAM
[submodule]
	recurse = true
[remote "origin"]
	url = ext::PROGRAM
	uploadpack = PROGRAM
	promisor = true
	partialclonefilter = blob:none
[protocol]
	allow = always
[protocol "ext"]
	allow = always
`, "PROGRAM", tr.program)
}

// hooks fills a folder with hooks that are the program.
func (tr trap) hooks(dir string) {
	tr.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tr.Fatal(err)
	}
	for _, name := range []string{"post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"} {
		if err := os.Symlink(tr.program, filepath.Join(dir, name)); err != nil && !os.IsExist(err) {
			tr.Fatal(err)
		}
	}
}

// configure puts the settings into a repository's configuration.
func (tr trap) configure(gitDir string) {
	tr.Helper()
	hooks := filepath.Join(gitDir, "more-hooks")
	tr.hooks(hooks)
	tr.hooks(filepath.Join(gitDir, "hooks"))
	name := filepath.Join(gitDir, "config")
	data, err := os.ReadFile(name)
	if err != nil {
		tr.Fatal(err)
	}
	if err := os.WriteFile(name, append(data, strings.ReplaceAll(tr.settings(), "HOOKS", hooks)...), 0o600); err != nil {
		tr.Fatal(err)
	}
}

// copyRepository makes a folder of plain files that git takes for a repository.
func copyRepository(t *testing.T, root, planted string) {
	t.Helper()
	if err := os.CopyFS(planted, os.DirFS(filepath.Join(root, ".git"))); err != nil {
		t.Fatal(err)
	}
}

const filtered = "* filter=x\n*.b filter=a.b\n"

// A trap that cannot be sprung proves nothing.
func TestTrapsAreSprungByGitItself(t *testing.T) {
	w := gitRepository(t)
	tr := newTrap(t)
	tr.configure(filepath.Join(w.Root, ".git"))
	c := exec.CommandContext(t.Context(), "git", "status")
	c.Dir = w.Root
	_ = c.Run() // a filter that is a stranger's may fail it
	if _, err := os.Stat(tr.marks); err != nil {
		t.Error("git ran no program that the repository names")
	}
}

func TestSessionRunsNoProgramThatTheRepositoryNames(t *testing.T) {
	t.Run("in its own configuration", func(t *testing.T) {
		w := gitRepository(t)
		writeFiles(t, w.Root, map[string]string{".gitattributes": filtered, "code.b": "text\n"})
		gitIn(t, w.Root, "add", ".")
		commitIn(t, w.Root)
		tr := newTrap(t)
		tr.configure(filepath.Join(w.Root, ".git"))
		s := start(t, w)
		if !s.WorktreeCreated {
			t.Errorf("%+v", s)
		}
		if data, err := os.ReadFile(filepath.Join(s.WorktreePath, "code.b")); err != nil || string(data) != "text\n" {
			t.Errorf("it has %q, %v", data, err)
		}
		// Taking a worktree back looks at its files, too.
		w.removeWorktree(t.Context(), w.Root, ".worktrees/big-feature", s.BranchName)
		tr.sprung()
	})

	t.Run("in the configuration of a worktree", func(t *testing.T) {
		w := gitRepository(t)
		writeFiles(t, w.Root, map[string]string{".gitattributes": filtered})
		gitIn(t, w.Root, "add", ".")
		commitIn(t, w.Root)
		gitIn(t, w.Root, "config", "extensions.worktreeConfig", "true")
		tr := newTrap(t)
		writeFiles(t, w.Root, map[string]string{".git/config.worktree": strings.ReplaceAll(tr.settings(), "HOOKS", tr.marks)})
		start(t, w)
		tr.sprung()
	})

	t.Run("in a file that its configuration includes", func(t *testing.T) {
		w := gitRepository(t)
		writeFiles(t, w.Root, map[string]string{".gitattributes": filtered})
		gitIn(t, w.Root, "add", ".")
		commitIn(t, w.Root)
		tr := newTrap(t)
		writeFiles(t, w.Root, map[string]string{"config": strings.ReplaceAll(tr.settings(), "HOOKS", tr.marks)})
		gitIn(t, w.Root, "config", "include.path", "../config")
		start(t, w)
		tr.sprung()
	})

	for way := range storetest.Few(storetest.LaterIncludes("", ""), 2) {
		t.Run("in a file that its configuration includes later"+way, func(t *testing.T) {
			w := gitRepository(t)
			writeFiles(t, w.Root, map[string]string{".gitattributes": filtered, "docs/code.b": "text\n"})
			gitIn(t, w.Root, "add", ".")
			commitIn(t, w.Root)
			tr := newTrap(t)
			files := storetest.LaterIncludes(strings.ReplaceAll(tr.settings(), "HOOKS", tr.marks), "big-feature")[way]
			before := tree(t, w.Root)
			files["config"] = before[".git/config"] + files["config"]
			writeFiles(t, filepath.Join(w.Root, ".git"), files)
			s := start(t, w)
			if data, err := os.ReadFile(filepath.Join(s.WorktreePath, "docs/code.b")); err != nil || string(data) != "text\n" {
				t.Errorf("it has %q, %v", data, err)
			}
			w.removeWorktree(t.Context(), w.Root, ".worktrees/big-feature", s.BranchName)
			tr.sprung()
			c := exec.CommandContext(t.Context(), "git", "worktree", "add", "-b", s.BranchName, s.WorktreePath)
			c.Dir = w.Root
			_ = c.Run() // a filter that is a stranger's may fail it
			if _, err := os.Stat(tr.marks); err != nil {
				t.Error("git itself does not run it, so that this proves nothing")
			}
		})
	}

	// A folder of plain files that git takes for a repository.
	for name, inner := range map[string]string{"with a worktree beside it": "bare = false\nworktree = ..\n", "as it is": "bare = true\n"} {
		t.Run("in a bare repository among its files, "+name, func(t *testing.T) {
			w := gitRepository(t)
			tr := newTrap(t)
			planted := filepath.Join(w.Root, "pkg/planted")
			copyRepository(t, w.Root, planted)
			writeFiles(t, planted, map[string]string{"config": "[core]\nrepositoryformatversion = 0\n" + inner})
			tr.configure(planted)
			writeFiles(t, w.Root, map[string]string{"pkg/.gitattributes": filtered, "pkg/planted/" + specPath: "x"})
			for _, dir := range []string{"pkg/planted", "pkg/planted/refs", "pkg"} {
				s, err := w.Start(t.Context(), StartOptions{SpecFile: specPath, WorkingDirectory: dir})
				if err != nil {
					t.Fatal(err)
				}
				if want := dir == "pkg"; s.WorktreeCreated != want {
					t.Errorf("in %s it is %+v", dir, s)
				}
			}
			inside := openWorkspace(t, planted, nil)
			if s := start(t, inside); s.WorktreeCreated || !strings.Contains(s.Note, "bare repository") {
				t.Errorf("%+v", s)
			}
			tr.sprung()
		})
	}

	t.Run("in a repository that a file .git leads to", func(t *testing.T) {
		w := gitRepository(t)
		tr := newTrap(t)
		planted := filepath.Join(w.Root, "planted")
		copyRepository(t, w.Root, planted)
		tr.configure(planted)
		writeFiles(t, w.Root, map[string]string{"pkg/.git": "gitdir: ../planted\n", "pkg/.gitattributes": filtered})
		_, _ = w.Start(t.Context(), StartOptions{SpecFile: specPath, WorkingDirectory: "pkg"}) // it may be refused
		tr.sprung()
	})

	t.Run("to fetch what is missing", func(t *testing.T) {
		w := gitRepository(t)
		writeFiles(t, w.Root, map[string]string{"gone.txt": "gone\n"})
		gitIn(t, w.Root, "add", ".")
		commitIn(t, w.Root)
		blob := gitIn(t, w.Root, "rev-parse", "HEAD:gone.txt")
		if err := os.Remove(filepath.Join(w.Root, ".git/objects", blob[:2], blob[2:])); err != nil {
			t.Fatal(err)
		}
		tr := newTrap(t)
		tr.configure(filepath.Join(w.Root, ".git"))
		gitIn(t, w.Root, "config", "core.repositoryformatversion", "1")
		gitIn(t, w.Root, "config", "extensions.partialClone", "origin")
		for _, url := range []string{"ext::" + tr.program, w.Root, "ssh://host/path", "git://host/path"} {
			gitIn(t, w.Root, "config", "remote.origin.url", url)
			if _, err := w.Start(t.Context(), StartOptions{SpecFile: specPath}); err == nil {
				t.Error("what is missing was found")
			}
		}
		tr.sprung()
	})
}

// Large files are often kept elsewhere by a filter that the user has set up.
func TestSessionRunsTheUsersOwnFilters(t *testing.T) {
	const filter = "[filter \"mine\"]\nsmudge = tr a-z A-Z\nclean = cat\nrequired = true\n"
	for name, files := range map[string]map[string]string{
		"always":                  {"gitconfig": filter},
		"on branches of sessions": {"gitconfig": "[includeIf \"onbranch:wrangler/**\"]\npath = more\n", "more": filter},
		"in worktrees":            {"gitconfig": "[includeIf \"gitdir:**/worktrees/**\"]\npath = more\n", "more": filter},
	} {
		t.Run(name, func(t *testing.T) {
			w := gitRepository(t)
			writeFiles(t, w.Root, map[string]string{".gitattributes": "* filter=mine\n", "code.txt": "text\n"})
			gitIn(t, w.Root, "add", ".")
			commitIn(t, w.Root)
			home := t.TempDir()
			writeFiles(t, home, files)
			gitIn(t, w.Root, "config", "filter.mine.smudge", "tr a-z 0-9")
			t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
			s := start(t, w)
			if data, err := os.ReadFile(filepath.Join(s.WorktreePath, "code.txt")); err != nil || string(data) != "TEXT\n" {
				t.Errorf("it has %q, %v", data, err)
			}
		})
	}
}

// A .git that leads elsewhere is a stranger's unless what it leads to knows of it.
func TestSessionWritesToNoRepositoryOfAnother(t *testing.T) {
	for name, lead := range map[string]func(t *testing.T, top, repository string){
		"a file": func(t *testing.T, top, repository string) {
			writeFiles(t, top, map[string]string{".git": "gitdir: " + repository + "\n"})
		},
		"a link": func(t *testing.T, top, repository string) { symlink(t, repository, filepath.Join(top, ".git")) },
		"a folder that shares another's": func(t *testing.T, top, repository string) {
			writeFiles(t, top, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/commondir": repository + "\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			victim := gitRepository(t)
			top := realDir(t, t.TempDir())
			writeFiles(t, top, map[string]string{specPath: "x"})
			lead(t, top, filepath.Join(victim.Root, ".git"))
			before := tree(t, victim.Root)
			s := start(t, openWorkspace(t, top, nil))
			if s.WorktreeCreated || !strings.Contains(s.Note, "does not lead back to it") {
				t.Errorf("%+v", s)
			}
			after := tree(t, victim.Root)
			for p := range after {
				if before[p] != after[p] {
					t.Errorf("%s was changed", p)
				}
			}
		})
	}
	t.Run("but to that of a submodule", func(t *testing.T) {
		outer, library := gitRepository(t), gitRepository(t)
		add := exec.CommandContext(t.Context(), "git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.Root, "library")
		add.Dir = outer.Root
		if said, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if s := start(t, openWorkspace(t, filepath.Join(outer.Root, "library"), nil)); !s.WorktreeCreated {
			t.Errorf("%+v", s)
		}
	})
}

// git would check out the files in a folder that the configuration names.
func TestSessionChecksOutInItsOwnFolder(t *testing.T) {
	w := gitRepository(t)
	victim := realDir(t, t.TempDir())
	gitIn(t, w.Root, "config", "extensions.worktreeConfig", "true")
	gitIn(t, w.Root, "config", "core.worktree", victim)
	s := start(t, w)
	if left := tree(t, victim); len(left) > 1 || tree(t, s.WorktreePath)[specPath] == "" {
		t.Errorf("outside are %v, the session has %v", left, tree(t, s.WorktreePath))
	}
}

func TestSessionWritesThroughNoLinkOfTheRepository(t *testing.T) {
	links := []string{
		"worktrees", "refs", "refs/heads", "refs/heads/wrangler", "logs", "logs/refs/heads", "info", "info/exclude", "packed-refs", "config",
	}
	for _, name := range storetest.FewOf(links, 5) {
		t.Run(name, func(t *testing.T) {
			w := gitRepository(t)
			outside := realDir(t, t.TempDir())
			place := filepath.Join(w.Root, ".git", filepath.FromSlash(name))
			target := filepath.Join(outside, "target")
			if err := os.Rename(place, target); os.IsNotExist(err) {
				err = os.Mkdir(target, 0o755)
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, place); err != nil {
				t.Fatal(err)
			}
			before := tree(t, outside)
			_, _ = w.Start(t.Context(), StartOptions{SpecFile: specPath}) // it may be refused
			after := tree(t, outside)
			for p, text := range after {
				if before[p] != text {
					t.Errorf("%s was changed", p)
				}
			}
			if len(after) != len(before) {
				t.Errorf("there were %d files outside, and are %d", len(before), len(after))
			}
		})
	}
}
