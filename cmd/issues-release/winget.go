package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// settleWinget gives goreleaser's manifest of winget the day of the commit, and its installers one
// order: goreleaser takes the day on which it runs, and the order in which archives were made.
func (r *release) settleWinget() error {
	files, err := filepath.Glob(filepath.Join(r.dist, "winget", "manifests", "*", "*", "*", "*", "*.installer.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var document yaml.Node
		if err := yaml.Unmarshal(data, &document); err != nil {
			return err
		}
		fields := document.Content[0].Content
		for i := 0; i < len(fields); i += 2 {
			switch value := fields[i+1]; fields[i].Value {
			case "ReleaseDate":
				value.Value = r.at.Format(time.DateOnly)
			case "Installers": // each begins with its architecture
				slices.SortFunc(value.Content, func(a, b *yaml.Node) int {
					return cmp.Compare(a.Content[1].Value, b.Content[1].Value)
				})
			}
		}
		var settled bytes.Buffer
		encoder := yaml.NewEncoder(&settled)
		encoder.SetIndent(2)
		if err := encoder.Encode(&document); err != nil {
			return err
		}
		if err := write(file, settled.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
