package main

import (
	_ "embed"
	"errors"
	"path/filepath"
)

// launcher is the program of the package for npm, which starts the one of the package for this
// system.
//
//go:embed launcher.js
var launcher []byte

// A manifest is the package.json of a package.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Author               string            `json:"author"`
	Homepage             string            `json:"homepage"`
	Repository           npmRepository     `json:"repository"`
	Keywords             []string          `json:"keywords,omitempty"`
	MCPName              string            `json:"mcpName,omitempty"` // proves to the MCP registry whose package it is
	Bin                  map[string]string `json:"bin,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // Yarn has to unpack a program
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

type npmRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

func (r *release) manifest(name string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: r.Description, License: "MIT", Author: author, Homepage: r.url(),
		Repository: npmRepository{"git", "git+" + r.url() + ".git"},
	}
}

// npmSystem is the system of a program by node's names.
func (p program) npmSystem() (system, processor string) {
	system, processor = p.goos, p.goarch
	if system == "windows" {
		system = "win32"
	}
	if processor == "amd64" {
		processor = "x64"
	}
	return system, processor
}

// writeNPM writes the packages for npm: one for each system with its program, and one that depends
// on all of them, of which npm installs the one that fits.
func (r *release) writeNPM() error {
	all := r.manifest(name)
	all.MCPName = r.mcpName()
	all.Keywords = []string{"issues", "issue-tracker", "markdown", "mcp", "tasks"}
	all.Bin = map[string]string{name: "bin/issues-index.js"}
	all.Engines = map[string]string{"node": ">=18"}
	all.OptionalDependencies = map[string]string{}
	for _, p := range r.programs {
		system, processor := p.npmSystem()
		one := r.manifest(name + "-" + system + "-" + processor)
		one.Description = name + " for " + system + " on " + processor + "; install " + name
		one.OS, one.CPU, one.PreferUnplugged = []string{system}, []string{processor}, true
		all.OptionalDependencies[one.Name] = r.version
		executable, err := read("package/bin/"+p.executable(), 0o755, p.file)
		if err != nil {
			return err
		}
		if err := r.writePackage(one, executable); err != nil {
			return err
		}
	}
	readme, err := read("package/README.md", 0o644, "README.md")
	if err != nil {
		return err
	}
	return r.writePackage(all, file{"package/bin/issues-index.js", 0o755, launcher}, readme)
}

func (r *release) writePackage(m manifest, program file, more ...file) error {
	data, err := indented(m)
	license, missing := read("package/LICENSE", 0o644, "LICENSE")
	if err := errors.Join(err, missing); err != nil {
		return err
	}
	packed, err := tarred(append([]file{{"package/package.json", 0o644, data}, license, program}, more...), r.at)
	if err != nil {
		return err
	}
	if packed, err = gzipped(packed); err != nil {
		return err
	}
	return write(filepath.Join(r.dist, "npm", m.Name+"-"+m.Version+".tgz"), packed)
}
