package main

import (
	"context"
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

// programs are what the tests start by a name: their own binary is each of them.
var programs = map[string]func(){"issues-index": main}

func TestMain(m *testing.M) {
	if program := programs[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")]; program != nil {
		program()
		os.Exit(0)
	}
	flag.Parse()
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// programDir is the first folder of the PATH, where the programs are.
var programDir string

func runTests(m *testing.M) (code int, err error) {
	if programDir, err = os.MkdirTemp("", "issues-index-programs"); err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(programDir) }()
	for name := range programs {
		err = errors.Join(err, placeBinary(programPath(name)))
	}
	if flag.Lookup("test.run").Value.String() == "" && testing.CoverMode() == "" && runtime.GOOS != "windows" {
		err = errors.Join(err, buildProgram())
	}
	template := filepath.Join(programDir, "template")
	path := programDir + string(filepath.ListSeparator) + os.Getenv("PATH")
	err = errors.Join(err, os.Setenv("PATH", path),
		os.Setenv(config.UserFileVariable, os.DevNull), // a test knows nothing of whose machine this is
		os.MkdirAll(filepath.Join(template, "info"), 0o700),
		os.Setenv("GIT_TEMPLATE_DIR", template)) // git's own has fourteen hooks that none runs
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

func programPath(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(programDir, name)
}

// placeBinary gives the binary of the tests another name.
func placeBinary(name string) error {
	binary, err := os.Executable()
	if err != nil || os.Link(binary, name) == nil {
		return err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o755)
}

// buildProgram builds the program itself, for tests that start it many times: the binary of the
// tests initialises more and takes twice as long. Where coverage is counted, the binary stays.
var buildProgram = sync.OnceValue(func() error {
	program := programPath("issues-index")
	_ = os.Remove(program)
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

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
			return copySample(filepath.Join(env.WorkDir, "sample"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"issues-index": call, "exits": exits},
	})
}

// call runs the program in the process of the tests, which takes a third of the time that a process
// of its own takes. A line has one, exec issues-index, where the program reads standard input, takes
// a relative path of a file that is no document, or depends on what the system knows: HOME, PATH.
func call(ts *testscript.TestScript, neg bool, args []string) {
	if code := runCall(ts, args); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

func runCall(ts *testscript.TestScript, args []string) (code int) {
	p := &program{
		in: strings.NewReader(""), out: ts.Stdout(), errOut: ts.Stderr(), getenv: ts.Getenv,
		getwd: func() (string, error) { return ts.MkAbs("."), nil },
	}
	return p.run(context.Background(), args)
}

// exits runs a command and checks its exit code: exits 2 issues-index list -x.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "issues-index" && (args[1] != "exec" || len(args) < 3) {
		ts.Fatalf("usage: exits code issues-index [argument...], or exits code exec command [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if args[1] == "issues-index" {
		got = runCall(ts, args[2:])
	} else if err := ts.Exec(args[2], args[3:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[2], err)
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
