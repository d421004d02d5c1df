package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"issues-index/tools/config"
	"issues-index/tools/wagtail/wagtailtest"
)

// scriptCommands are the programs that the scenarios can run.
var scriptCommands = map[string]func(){"issues-index": main}

func TestMain(m *testing.M) {
	if scriptCommands[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")] == nil { // a test knows nothing of whose machine this is
		if err := os.Setenv(config.UserFileVariable, os.DevNull); err != nil {
			panic(err)
		}
	}
	testscript.Main(builtTests{m}, scriptCommands)
}

// builtTests have the program built where all of them run, and remove it.
type builtTests struct{ *testing.M }

func (m builtTests) Run() int {
	flag.Parse()
	if flag.Lookup("test.run").Value.String() == "" {
		path, err := pathWithProgram(os.Getenv("PATH"))
		if err = errors.Join(err, os.Setenv("PATH", path)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.M.Run()
	if dir := programDir; dir != "" {
		_ = os.RemoveAll(dir)
	}
	return code
}

// programDir is where buildProgram has put the program, "" for nowhere.
var programDir string

// buildProgram builds the program itself, for tests that start it a thousand times. The program of
// the tests, which the others start under the same name, initialises more and takes twice as long.
var buildProgram = sync.OnceValue(func() (err error) {
	if programDir, err = os.MkdirTemp("", "issues-index-program"); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(programDir, "issues-index"), ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// pathWithProgram returns the PATH with the program itself in it, but where there is no Go, and
// where coverage is counted: then a test's counters are those of its own binary alone.
func pathWithProgram(path string) (string, error) {
	if testing.CoverMode() != "" || runtime.GOOS == "windows" {
		return path, nil
	}
	err := buildProgram()
	return programDir + string(filepath.ListSeparator) + path, err
}

// TestScript runs the scenarios of testdata/script, each in a copy of the
// sample workspace called sample, with a Wagtail site at $SITE. UPDATE_GOLDEN=1
// rewrites what they expect.
func TestScript(t *testing.T) {
	site := wagtailtest.NewServer(t)
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SITE", site.URL)
			path, err := pathWithProgram(env.Getenv("PATH"))
			if err != nil {
				return err
			}
			env.Setenv("PATH", path)
			return copySample(filepath.Join(env.WorkDir, "sample"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and checks its exit code: exits 2 issues-index list -x.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// sampleTime is the modification time of the copied files, which documents
// without dates show.
var sampleTime = time.Date(2026, 1, 22, 12, 0, 0, 0, time.UTC)

func copySample(to string) error {
	from := filepath.Join(repositoryRoot, "testdata", "sample")
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if d.IsDir() {
			if d.Name() == "cache" {
				return filepath.SkipDir
			}
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return err
		}
		return os.Chtimes(target, sampleTime, sampleTime)
	})
}

// realTempDir is a temporary folder by its real name, as the program shows it.
func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
