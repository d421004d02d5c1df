//go:build linux

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// A gitTrick is a way to make git start a program: settings, and files beside them.
type gitTrick struct {
	name     string
	settings string // of a configuration; MARK is the command of the program
	alone    bool   // git does not come to the other tricks beside it
}

// gitTricks are all settings of git's that name a program, as far as any command of git
// that this program could use obeys them. MARK is a command, without quotes, that leaves
// a file in the folder marks.
var gitTricks = []gitTrick{
	{"fsmonitor", "[core]\nfsmonitor = MARK\n", false},
	{"filter", "[filter \"x\"]\nsmudge = MARK\nclean = MARK\nrequired = false\n", false},
	{"filter process", "[filter \"x\"]\nprocess = MARK\n", false},
	{"hooks in a folder that is tracked", "[core]\nhooksPath = HOOKS\n", false},
	{"ssh", "[core]\nsshCommand = MARK\n[remote \"origin\"]\nurl = ssh://example.invalid/x\n", false},
	{"pagers", "[core]\npager = MARK\n[pager]\nworktree = MARK\nrev-parse = MARK\nbranch = MARK\ncheck-ignore = MARK\n", false},
	{"editors", "[core]\neditor = MARK\n[sequence]\neditor = MARK\n", false},
	{"aliases", "[alias]\nrev-parse = !MARK\nworktree = !MARK\nbranch = !MARK\ncheck-ignore = !MARK\ncheckout = !MARK\nreset = !MARK\n", false},
	{"diff", "[diff]\nexternal = MARK\n[diff \"x\"]\ncommand = MARK\ntextconv = MARK\n[merge \"x\"]\ndriver = MARK\n", false},
	{"alternates", "[core]\nalternateRefsCommand = MARK\n", false},
	{"signatures", "[gpg]\nprogram = MARK\n[gpg \"ssh\"]\nprogram = MARK\n[commit]\ngpgSign = true\n[log]\nshowSignature = true\n", false},
	{"credentials", "[credential]\nhelper = !MARK\n[core]\naskPass = MARK\ngitProxy = MARK\n", false},
	{"an included file", "[include]\npath = INCLUDED\n[includeIf \"gitdir:**\"]\npath = INCLUDED\n", false},
	{"submodules", "[submodule]\nrecurse = true\n[submodule \"sub\"]\nactive = true\nurl = ext::MARK\nupdate = !MARK\n[protocol \"ext\"]\nallow = always\n", false},
	{"a remote that fetches what is missing", "[core]\nrepositoryFormatVersion = 1\n[extensions]\npartialClone = origin\n[remote \"origin\"]\nurl = file:///nothing\npromisor = true\nuploadpack = MARK\n", true},
	{"a configuration of the worktree", "[core]\nrepositoryFormatVersion = 1\n[extensions]\nworktreeConfig = true\n", true},
}

const atOnce = "all settings at once"

// gitTricksAtOnce are all tricks in few rounds.
func gitTricksAtOnce() (few []gitTrick) {
	all := gitTrick{name: atOnce}
	for _, trick := range gitTricks {
		if trick.alone {
			few = append(few, trick)
		} else {
			all.settings += trick.settings
		}
	}
	return append(few, all)
}

// gitPlaces are where the repository with the tricks lies. Each prepares a world, and
// returns the folder of the repository, the one that the program is started in, and the
// working directory to name to it.
var gitPlaces = map[string]func(t *testing.T, w *strangerWorld) (repository, dir, workingDirectory string){
	"the workspace's own": func(*testing.T, *strangerWorld) (string, string, string) { return ".git", ".", "." },
	"the workspace's own, elsewhere": func(t *testing.T, w *strangerWorld) (string, string, string) {
		w.carry(t, ".git", "tools/bare")
		w.clear(t, ".git")
		plantFiles(t, w.repo, map[string]string{".git": "gitdir: tools/bare\n"})
		return "tools/bare", ".", "."
	},
	"a bare one in a folder that is named": func(t *testing.T, w *strangerWorld) (string, string, string) {
		w.carry(t, ".git", "pkg")
		return "pkg", ".", "pkg"
	},
	"a bare one in the folder of the server": func(t *testing.T, w *strangerWorld) (string, string, string) {
		w.carry(t, ".git", "pkg")
		w.carry(t, ".wrangler", "pkg/.wrangler")
		return "pkg", "pkg", "."
	},
	"one that a file in a folder that is named points to": func(t *testing.T, w *strangerWorld) (string, string, string) {
		w.carry(t, ".git", "tools/bare")
		plantFiles(t, w.repo, map[string]string{"pkg/.git": "gitdir: ../tools/bare\n", "pkg/main.go": "package main\n"})
		return "tools/bare", ".", "pkg"
	},
}

// git obeys the configuration of the repository that it finds, and the workspace, and each
// folder in it, may be a stranger's. Whatever is in there, no program but git is started.
func TestStrangersGitStartsNoProgram(t *testing.T) {
	needStrace(t)
	w := newStrangerWorld(t)
	w.env = nil
	tricks := gitTricksAtOnce()
	if storetest.Long() {
		tricks = append(tricks[len(tricks)-1:], gitTricks...)
	}
	ways := slices.AppendSeq([]string{""}, maps.Keys(storetest.LaterIncludes("", "")))
	places := gitPlaces
	if !*traces {
		places = storetest.Few(gitPlaces, 1)
	}
	for place, prepare := range places {
		t.Run(place, func(t *testing.T) {
			for _, trick := range tricks {
				if trick.alone && !storetest.Long() && place != "the workspace's own" {
					continue
				}
				for _, way := range ways {
					if way != "" && (trick.alone || place != "the workspace's own") {
						continue
					}
					t.Run(trick.name+way, func(t *testing.T) {
						t.Parallel()
						stranger := w.copy(t)
						repository, dir, workingDirectory := prepare(t, stranger)
						stranger.trick(t, repository, trick, way)
						runs := []strangerRun{strangerInit, {args: []string{"serve"}, changes: true, git: true, calls: []smallCall{
							{"session_start", map[string]any{"specFile": strangerSpec, "workingDirectory": workingDirectory}},
						}}}
						if storetest.Long() && (way == "" || trick.name == atOnce) {
							runs = append(strangerRuns(t, w.sessionID), runs...)
						}
						planted := trick.name + " in the repository " + repository + " " + way
						ordeal{strangerWorld: stranger, dir: dir, planted: planted, traced: true, starts: true}.endure(t, runs)
					})
				}
			}
		})
	}
}

// git follows links in the folders that it writes to. All of them are tried with -strace, a few else.
func TestStrangersGitWritesInTheWorkspaceOnly(t *testing.T) {
	w := newStrangerWorld(t)
	start := strangerRun{args: []string{"serve"}, changes: true, calls: []smallCall{{"session_start", map[string]any{"specFile": strangerSpec}}}}
	plants := map[string]plantKind{}
	for _, path := range []string{
		".git/info", ".git/worktrees", ".git/refs", ".git/refs/heads", ".git/refs/heads/wrangler", ".git/logs",
		".git/logs/refs/heads/wrangler", ".worktrees",
	} {
		for _, kind := range []plantKind{linkedFolder, linkedToEmpty} {
			plants[path+", "+string(kind)] = kind
		}
	}
	for _, path := range []string{".git/info/exclude", ".git/packed-refs.lock", ".git/config.lock", ".git/HEAD.lock"} {
		plants[path] = linkToNothing
	}
	if !*traces {
		plants = storetest.Few(plants, 6)
	}
	for name, kind := range plants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _, _ := strings.Cut(name, ",")
			stranger := w.copy(t)
			planted := []strangerPlant{stranger.plant(t, kind, path, 0, true)}
			ordeal{strangerWorld: stranger, plants: planted, starts: true}.endure(t, []strangerRun{strangerInit, start})
		})
	}
}

// carry copies a folder of the workspace within it, as a repository carries it.
func (w *strangerWorld) carry(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(w.repo, to), os.DirFS(filepath.Join(w.repo, from))); err != nil {
		t.Fatal(err)
	}
}

// gitHooks are the hooks that the commands of git run that make a worktree.
var gitHooks = []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "update", "post-update"}

// trick plants a trick in a repository of the workspace, with its attributes for every
// file, its hooks, and objects that are missing, so that git would fetch them. way is one
// of storetest.LaterIncludes, "" for a trick that is no matter of later.
func (w *strangerWorld) trick(t *testing.T, repository string, trick gitTrick, way string) {
	t.Helper()
	if strings.Contains(trick.settings, "promisor") {
		w.loseObjects(t, repository)
	}
	program := filepath.Join(w.repo, "tools", "mark")
	mark := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >>%q\nexit 1\n", filepath.Join(w.base, "marks", strings.ReplaceAll(trick.name, " ", "-")))
	programs := map[string]string{"tools/mark": mark}
	for _, hook := range gitHooks {
		programs["tools/hooks/"+hook] = mark
		programs[repository+"/hooks/"+hook] = mark
	}
	plantFiles(t, w.repo, programs)
	for name := range programs {
		if err := os.Chmod(filepath.Join(w.repo, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	settings := strings.NewReplacer("MARK", program, "HOOKS", filepath.Join(w.repo, "tools", "hooks"), "INCLUDED", filepath.Join(w.repo, "tools", "included")).Replace(trick.settings)
	fsmonitor := "[core]\nfsmonitor = " + program + "\n"
	files := map[string]string{"config": settings, "config.worktree": fsmonitor}
	if way != "" {
		files = storetest.LaterIncludes(settings, "tool-search-deferred-loading-2")[way]
	}
	if repository != ".git" {
		top, err := filepath.Rel(filepath.Join(w.repo, repository), w.repo)
		if err != nil {
			t.Fatal(err)
		}
		files["config"] = "[core]\nbare = false\nworktree = " + top + "\n" + files["config"]
	}
	config, err := os.ReadFile(filepath.Join(w.repo, repository, "config"))
	if err != nil {
		t.Fatal(err)
	}
	files["config"] = string(config) + "\n" + files["config"]
	files["info/attributes"] = "* filter=x diff=x merge=x\n"
	plantFiles(t, filepath.Join(w.repo, repository), files)
	plantFiles(t, w.repo, map[string]string{"tools/included": fsmonitor})
}

// loseObjects leaves a repository with its commits and folders, and no contents of files.
func (w *strangerWorld) loseObjects(t *testing.T, repository string) {
	t.Helper()
	objects := filepath.Join(w.repo, repository, "objects")
	packs, err := filepath.Glob(filepath.Join(objects, "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("the repository has the packs %v: %v", packs, err)
	}
	pack, err := os.Open(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	if err := os.RemoveAll(filepath.Join(objects, "pack")); err != nil {
		t.Fatal(err)
	}
	git := func(stdin io.Reader, args ...string) string {
		run := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir", filepath.Join(w.repo, repository)}, args...)...)
		run.Dir, run.Env, run.Stdin = w.base, w.environment(), stdin
		said, err := run.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(said)
	}
	git(pack, "unpack-objects", "-q")
	for line := range strings.Lines(git(nil, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")) {
		if name, blob := strings.CutPrefix(strings.TrimSpace(line), "blob "); blob {
			if err := os.Remove(filepath.Join(objects, name[:2], name[2:])); err != nil {
				t.Fatal(err)
			}
		}
	}
}
