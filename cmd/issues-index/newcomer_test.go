package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"issues-index/store/storetest"
)

// TestNewcomer walks through testdata/newcomer in the sample workspace. With -long it
// builds and installs the program as the README says, and also walks through the whole
// workspace that the sample is cut from, where that lies beside this repository.
func TestNewcomer(t *testing.T) {
	for name, root := range map[string]string{
		"sample":             filepath.Join(repositoryRoot, "testdata", "sample"),
		"samjhecht-wrangler": filepath.Join(repositoryRoot, "..", "shared", "corpora", "samjhecht-wrangler"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := filepath.Join(root, ".wrangler")
			if name != "sample" && !storetest.Long() {
				t.Skip("this takes long: -long")
			}
			if _, err := os.Stat(documents); err != nil {
				t.Skipf("%s is not here: %v", name, err)
			}
			testscript.Run(t, testscript.Params{
				Dir: filepath.Join("testdata", "newcomer"),
				Setup: func(env *testscript.Env) error {
					env.Setenv("GOBIN", filepath.Join(env.WorkDir, "bin"))
					return setUpNewcomer(env, documents)
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "readme": readme},
			})
		})
	}
}

// setUpNewcomer gives the script a project with these documents, the repository,
// and the caches of the go command, so that it need not compile everything.
func setUpNewcomer(env *testscript.Env, documents string) error {
	repository, err := filepath.Abs(repositoryRoot)
	if err != nil {
		return err
	}
	env.Setenv("REPOSITORY", repository)
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB", "GOTOOLCHAIN"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return err
	}
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		env.Setenv(names[i], strings.TrimSuffix(value, "\r"))
	}
	return os.CopyFS(filepath.Join(env.WorkDir, "project", ".wrangler"), os.DirFS(documents))
}

// readme runs the README's first command that begins with these words: readme go run.
// Without -long the program that is under test runs in place of a new build.
func readme(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: readme word...")
	}
	data, err := os.ReadFile(filepath.Join(ts.Getenv("REPOSITORY"), "README.md"))
	ts.Check(err)
	shell := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			shell = line == "```sh"
			continue
		}
		words := strings.Fields(line)
		if shell && len(words) >= len(args) && slices.Equal(words[:len(args)], args) {
			switch {
			case storetest.Long():
				ts.Check(ts.Exec(words[0], words[1:]...))
			case words[1] == "run":
				ts.Check(ts.Exec("issues-index", words[3:]...))
			default:
				program, err := exec.LookPath("issues-index")
				ts.Check(err)
				ts.Check(os.CopyFS(ts.Getenv("GOBIN"), os.DirFS(filepath.Dir(program))))
			}
			return
		}
	}
	ts.Fatalf("the README has no command that begins with %s", strings.Join(args, " "))
}
