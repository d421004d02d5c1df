//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// here is the program of a release for this machine.
func here(t *testing.T, r *release) program {
	t.Helper()
	at := slices.IndexFunc(r.programs, func(p program) bool { return p.goos == "linux" && p.goarch == runtime.GOARCH })
	if at < 0 {
		t.Skipf("SKIPPED: there is no program for linux on %s", runtime.GOARCH)
	}
	return r.programs[at]
}

// What can be installed on this machine is installed, each as its users do it, and runs the
// README's tour.
func TestInstalled(t *testing.T) {
	r := givenRelease(t)
	p := here(t, r)
	t.Run("archive", func(t *testing.T) {
		dir := t.TempDir()
		runs(t, "tar", "-xzf", filepath.Join(r.assets(), p.archive()), "-C", dir)
		for _, file := range []string{"LICENSE", "README.md", "man/issues-index-list.1.gz", "completions/issues-index.zsh"} {
			content(t, dir, file)
		}
		takeTour(t, r.version, started(filepath.Join(dir, name)))
	})
	t.Run("deb", func(t *testing.T) {
		needs(t, "dpkg", "root")
		root := t.TempDir()
		for _, folder := range []string{"info", "updates", "triggers"} {
			if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		runs(t, "dpkg", "--root", root, "-i", filepath.Join(r.assets(), p.asset(".deb")))
		checkPackage(t, root, "usr/share/zsh/vendor-completions/_issues-index")
		takeTour(t, r.version, started(filepath.Join(root, "usr/bin", name)))
		runs(t, "dpkg", "--root", root, "-r", name)
		if _, err := os.Stat(filepath.Join(root, "usr/bin", name)); !os.IsNotExist(err) {
			t.Errorf("removing the package leaves the program: %v", err)
		}
	})
	t.Run("rpm", func(t *testing.T) {
		needs(t, "rpm", "root")
		root := t.TempDir()
		runs(t, "rpm", "--root", root, "--initdb")
		runs(t, "rpm", "--root", root, "-i", filepath.Join(r.assets(), p.asset(".rpm")))
		checkPackage(t, root, "usr/share/zsh/site-functions/_issues-index")
		takeTour(t, r.version, started(filepath.Join(root, "usr/bin", name)))
		runs(t, "rpm", "--root", root, "-e", name)
	})
	t.Run("script", func(t *testing.T) {
		needs(t, "sh", "curl")
		files := httptest.NewServer(http.FileServer(http.Dir(r.assets())))
		defer files.Close()
		home := t.TempDir()
		env := []string{"HOME=" + home, "ISSUES_INDEX_DOWNLOADS=" + files.URL}
		script := filepath.Join(r.assets(), "install.sh")
		for range 2 { // the second time over the first
			if out := runsIn(t, home, env, "sh", script); !strings.Contains(out, "export PATH") {
				t.Errorf("it does not say how to find the program: %s", out)
			}
		}
		takeTour(t, r.version, started(filepath.Join(home, ".local/bin", name)))
	})
	t.Run("script and a wrong archive", func(t *testing.T) {
		needs(t, "sh", "curl")
		files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if strings.HasSuffix(req.URL.Path, ".tar.gz") {
				w.Write([]byte("something else"))
				return
			}
			http.ServeFile(w, req, filepath.Join(r.assets(), filepath.Base(req.URL.Path)))
		}))
		defer files.Close()
		home := t.TempDir()
		c := exec.CommandContext(t.Context(), "sh", filepath.Join(r.assets(), "install.sh"))
		c.Env = append(os.Environ(), "HOME="+home, "ISSUES_INDEX_DOWNLOADS="+files.URL)
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "another checksum") {
			t.Errorf("%v: %s", err, out)
		}
		if _, err := os.Stat(filepath.Join(home, ".local/bin", name)); !os.IsNotExist(err) {
			t.Errorf("it is installed nevertheless: %v", err)
		}
	})
	t.Run("npm", func(t *testing.T) {
		needs(t, "npx")
		registry := serveRegistry(t, r.dist)
		env := registry.environment(t.TempDir())
		takeTour(t, r.version, func(dir string, arguments ...string) *exec.Cmd {
			c := started("npx", "-y", name)(dir, arguments...)
			c.Env = append(os.Environ(), env...)
			return c
		})
	})
	t.Run("bundle", func(t *testing.T) {
		dir, workspace := t.TempDir(), t.TempDir()
		command := installBundle(t, dir, content(t, r.assets(), p.asset(".mcpb")), workspace)
		takeTourIn(t, r.version, workspace, started(command[0]))
		server := startServer(t, started(command[0], command[1:]...)(dir))
		defer server.stop()
		answer := server.asks(t, `"method":"tools/call","params":{"name":"issues_get","arguments":{"id":"ISS-000001"}}`)
		if !strings.Contains(answer, "Parse dates without a year") {
			t.Errorf("it answers %s", answer)
		}
	})
	t.Run("image", func(t *testing.T) {
		needs(t, "root")
		root := t.TempDir()
		files, config := imageFiles(t, r, p.goarch)
		for _, f := range files {
			if strings.HasSuffix(f.name, "/") {
				if err := os.Mkdir(filepath.Join(root, f.name), f.mode); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(filepath.Join(root, f.name), f.data, f.mode); err != nil {
				t.Fatal(err)
			}
		}
		if !equalJSON(t, config["Entrypoint"], []string{"/issues-index"}) || config["WorkingDir"] != "/workspace" {
			t.Errorf("it starts %v in %v", config["Entrypoint"], config["WorkingDir"])
		}
		takeTourIn(t, r.version, filepath.Join(root, "workspace"), inRoot(root, "/issues-index"))
	})
}

// inRoot is the way to start a program in another root of the file system.
func inRoot(root, program string) way {
	return func(dir string, arguments ...string) *exec.Cmd {
		inside, err := filepath.Rel(root, dir)
		if err != nil {
			panic(err)
		}
		return &exec.Cmd{
			Path: program, Args: append([]string{program}, arguments...), Dir: "/" + inside,
			Env: []string{"PATH=/usr/bin"}, SysProcAttr: &syscall.SysProcAttr{Chroot: root},
		}
	}
}

// checkPackage looks for what a package brings besides the program.
func checkPackage(t *testing.T, root string, more ...string) {
	t.Helper()
	for _, file := range append(more, "usr/share/man/man1/issues-index.1.gz", "usr/share/man/man1/issues-index-list.1.gz",
		"usr/share/bash-completion/completions/issues-index", "usr/share/fish/vendor_completions.d/issues-index.fish",
		"usr/share/doc/issues-index/copyright") {
		content(t, root, file)
	}
}

// installBundle unpacks an .mcpb as a host does, and returns the command that starts its server.
func installBundle(t *testing.T, dir string, bundle []byte, workspace string) []string {
	t.Helper()
	for _, f := range unzip(t, bundle) {
		if err := write(filepath.Join(dir, f.name), f.data); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, f.name), f.mode); err != nil {
			t.Fatal(err)
		}
	}
	var m struct {
		Server struct {
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	fromJSON(t, content(t, dir, "manifest.json"), &m)
	command := append([]string{m.Server.Config.Command}, m.Server.Config.Args...)
	for i, word := range command {
		command[i] = strings.NewReplacer("${__dirname}", dir, "${user_config.workspace}", workspace).Replace(word)
	}
	return command
}
