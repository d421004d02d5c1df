package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// A release of programs of a few bytes is whole, and the same the second time.
func TestRelease(t *testing.T) {
	t.Chdir(repositoryRoot)
	t.Setenv("SOURCE_DATE_EPOCH", "1767312000")
	dist, again := fakeDist(t), fakeDist(t)
	for _, folder := range []string{dist, again} {
		if err := run(folder, false); err != nil {
			t.Fatal(err)
		}
	}
	checkRelease(t, dist)
	checkEqual(t, dist, again)
}

func TestPublishedNeedsARepository(t *testing.T) {
	s := settings{Repository: placeholder + "/issues-index"}
	if s.published() == nil {
		t.Error("a release of the placeholder is allowed")
	}
	s.Repository = "Ann/Issues"
	if err := s.published(); err != nil {
		t.Error(err)
	}
	if s.image() != "ghcr.io/ann/issues" || s.mcpName() != "io.github.Ann/Issues" {
		t.Errorf("the image is %s, the server %s", s.image(), s.mcpName())
	}
}

// fakeDist makes a folder as goreleaser leaves it.
func fakeDist(t *testing.T) string {
	t.Helper()
	dist := filepath.Join(t.TempDir(), "dist")
	var artifacts []object
	add := func(kind, name string, p program, data []byte) {
		if err := write(filepath.Join(dist, filepath.FromSlash(name)), data); err != nil {
			t.Fatal(err)
		}
		artifacts = append(artifacts, object{"type": kind, "path": "dist/" + name, "goos": p.goos, "goarch": p.goarch})
	}
	for _, goos := range []string{"darwin", "linux", "windows"} {
		for _, goarch := range []string{"amd64", "arm64"} {
			p := program{goos: goos, goarch: goarch}
			add("Binary", p.asset("_v8.0")+"/"+p.executable(), p, []byte("a program for "+goos+" on "+goarch))
			add("Archive", p.archive(), p, []byte("an archive for "+goos+" on "+goarch))
			add("SBOM", p.asset(".cdx.json"), p, []byte("{}"))
			if goos == "linux" {
				add("Linux Package", p.asset(".deb"), p, []byte("a package for "+goarch))
				add("Linux Package", p.asset(".rpm"), p, []byte("another for "+goarch))
			}
		}
	}
	add("Scoop Manifest", "scoop/issues-index.json", program{}, []byte("{}"))
	rand.Shuffle(len(artifacts), func(i, j int) { artifacts[i], artifacts[j] = artifacts[j], artifacts[i] })
	for file, content := range map[string]any{
		"artifacts.json": artifacts, "metadata.json": object{"version": "1.2.3-snapshot"},
	} {
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dist, file), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dist
}
