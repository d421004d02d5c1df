package main

import (
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// placeholder is the owner of the repository in .goreleaser.yaml until there is one.
const placeholder = "OWNER"

// settings are what .goreleaser.yaml says of the project, in its list env.
type settings struct {
	Repository  string // owner/name on GitHub
	Description string // at most 100 characters
}

func readSettings(file string) (s settings, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	var config struct{ Env []string }
	if err := yaml.Unmarshal(data, &config); err != nil {
		return s, fmt.Errorf("read %s: %w", file, err)
	}
	for _, variable := range config.Env {
		name, value, _ := strings.Cut(variable, "=")
		switch name {
		case "REPOSITORY":
			s.Repository = value
		case "DESCRIPTION":
			s.Description = value
		}
	}
	if strings.Count(s.Repository, "/") != 1 || s.Description == "" {
		return s, fmt.Errorf("%s has no REPOSITORY=owner/name and DESCRIPTION=text in its list env", file)
	}
	return s, nil
}

// published fails while the repository is the placeholder.
func (s settings) published() error {
	if s.owner() == placeholder {
		return fmt.Errorf(
			"the repository is still %s: write its address on GitHub in the line REPOSITORY of .goreleaser.yaml,"+
				" then run UPDATE_GOLDEN=1 go test ./cmd/issues-release",
			s.Repository,
		)
	}
	return nil
}

func (s settings) owner() string {
	owner, _, _ := strings.Cut(s.Repository, "/")
	return owner
}

// url is the address of the repository.
func (s settings) url() string { return "https://github.com/" + s.Repository }

// latest is where the files of the latest release are.
func (s settings) latest() string { return s.url() + "/releases/latest/download" }

// image is the container image without its tag; registries take small letters alone.
func (s settings) image() string { return "ghcr.io/" + strings.ToLower(s.Repository) }

// mcpName is the server's name in the MCP registry.
func (s settings) mcpName() string { return "io.github." + s.Repository }
