package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	begin = "<!-- install: written by UPDATE_GOLDEN=1 go test ./cmd/issues-release -->\n"
	end   = "<!-- /install -->"
)

// The README's lines that install a release name the repository of .goreleaser.yaml.
func TestReadmeInstalls(t *testing.T) {
	s, err := readSettings(filepath.Join(repositoryRoot, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(repositoryRoot, "README.md")
	readme := string(content(t, file))
	before, rest, begun := strings.Cut(readme, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatal("the README has no place for the lines that install a release")
	}
	want := before + begin + installTable(s) + end + after
	if want == readme {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatal(
			"the README's lines that install a release are out of date: UPDATE_GOLDEN=1 go test ./cmd/issues-release",
		)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// One line names the repository, and the README has it from there.
func TestOneLineNamesTheRepository(t *testing.T) {
	s, err := readSettings(filepath.Join(repositoryRoot, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "git", "grep", "-lF", s.Repository)
	c.Dir = repositoryRoot
	out, err := c.Output()
	if err != nil {
		t.Skipf("there is no git repository: %v", err)
	}
	if files := strings.Fields(string(out)); !slices.Equal(files, []string{".goreleaser.yaml", "README.md"}) {
		t.Errorf("the repository is named in %q", files)
	}
}

func installTable(s settings) string {
	var b strings.Builder
	b.WriteString("| with | |\n|---|---|\n")
	for _, row := range [][2]string{
		{"Homebrew", "`brew install " + s.owner() + "/tap/issues-index`"},
		{"npm", "`npm install -g issues-index`, or without installing `npx -y issues-index`"},
		{"Scoop", "`scoop install " + s.latest() + "/issues-index.json`"},
		{"apt", "`curl -fsSLO " + s.latest() + "/issues-index_linux_amd64.deb && " +
			"sudo apt install ./issues-index_linux_amd64.deb`"},
		{"dnf", "`sudo dnf install " + s.latest() + "/issues-index_linux_amd64.rpm`"},
		{"a script", "`sh -c \"$(curl -fsSL " + s.latest() + "/install.sh)\"`"},
		{"Docker", "`docker run -i --rm -u \"$(id -u):$(id -g)\" -v \"$PWD:/workspace\" " + s.image() + "`"},
		{"Claude Desktop", "open the `.mcpb` for your system from the [latest release](" + s.url() + "/releases/latest)"},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	return b.String()
}
