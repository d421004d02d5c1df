package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// name is that of the program, of its packages and of its files.
const name = "issues-index"

// author is who the packages are from.
const author = "the issues-index contributors"

// A release is what goreleaser has made, and what the rest is made of.
type release struct {
	settings
	dist     string // the folder that goreleaser has filled
	version  string // without v
	at       time.Time
	programs []program
	made     []string // files of goreleaser's that are published as they are
}

// A program is the executable for one system, by Go's names of systems.
type program struct{ goos, goarch, file string }

func (p program) executable() string {
	if p.goos == "windows" {
		return name + ".exe"
	}
	return name
}

// asset is the name of a file for this system: issues-index_linux_amd64 and the ending.
func (p program) asset(ending string) string { return name + "_" + p.goos + "_" + p.goarch + ending }

func (p program) archive() string {
	if p.goos == "windows" {
		return p.asset(".zip")
	}
	return p.asset(".tar.gz")
}

func readRelease(s settings, dist string) (*release, error) {
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read SOURCE_DATE_EPOCH, the time of the commit in seconds: %w", err)
	}
	r := &release{settings: s, dist: dist, at: time.Unix(epoch, 0).UTC()}
	var metadata struct{ Version string }
	var artifacts []struct{ Type, Goos, Goarch, Path string }
	if err := errors.Join(readJSON(filepath.Join(dist, "metadata.json"), &metadata),
		readJSON(filepath.Join(dist, "artifacts.json"), &artifacts)); err != nil {
		return nil, err
	}
	r.version = metadata.Version
	for _, a := range artifacts {
		file := filepath.Join(filepath.Dir(dist), filepath.FromSlash(a.Path))
		switch a.Type {
		case "Binary":
			r.programs = append(r.programs, program{a.Goos, a.Goarch, file})
		case "Archive", "Linux Package", "SBOM", "Scoop Manifest":
			r.made = append(r.made, file)
		}
	}
	if len(r.programs) == 0 {
		return nil, fmt.Errorf("%s has no program: run .ci/release", dist)
	}
	// goreleaser lists them as they were ready, where it makes several at once.
	slices.SortFunc(r.programs, func(a, b program) int { return cmp.Compare(a.asset(""), b.asset("")) })
	return r, nil
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

// assets is the folder of the files that are published with a release on GitHub.
func (r *release) assets() string { return filepath.Join(r.dist, "assets") }

// download is the address of such a file of this release.
func (r *release) download(asset string) string {
	return r.url() + "/releases/download/v" + r.version + "/" + asset
}

// collect moves goreleaser's files among the assets.
func (r *release) collect() error {
	if err := os.MkdirAll(r.assets(), 0o755); err != nil {
		return err
	}
	for _, file := range r.made {
		if err := os.Rename(file, filepath.Join(r.assets(), filepath.Base(file))); err != nil {
			return err
		}
	}
	return nil
}
