package main

import (
	"bytes"
	"embed"
	"path/filepath"
	"sort"
	"strings"
	"text/template"
)

//go:embed formula.rb.tmpl install.sh.tmpl
var texts embed.FS

// writeFormula writes the formula for the Homebrew tap.
func (r *release) writeFormula() error {
	sums := map[string]string{}
	for _, p := range r.programs {
		sum, err := digestOf(filepath.Join(r.assets(), p.archive()))
		if err != nil {
			return err
		}
		sums[p.goos+"_"+p.goarch] = sum
	}
	return r.writeText("formula.rb.tmpl", name+".rb", map[string]any{
		"Description": r.Description, "URL": r.url(), "Version": r.version, "Sums": sums,
		"Files": r.download(name),
	})
}

// writeScript writes the script that installs the latest release.
func (r *release) writeScript() error {
	return r.writeText("install.sh.tmpl", "install.sh", map[string]any{"Latest": r.latest(), "URL": r.url()})
}

func (r *release) writeText(from, to string, data map[string]any) error {
	t, err := template.ParseFS(texts, from)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.Execute(&text, data); err != nil {
		return err
	}
	return write(filepath.Join(r.assets(), to), text.Bytes())
}

// writeChecksums writes those of all assets, as sha256sum --check reads them.
func (r *release) writeChecksums() error {
	files, err := filepath.Glob(filepath.Join(r.assets(), "*"))
	if err != nil {
		return err
	}
	sort.Strings(files)
	var lines strings.Builder
	for _, file := range files {
		sum, err := digestOf(file)
		if err != nil {
			return err
		}
		lines.WriteString(sum + "  " + filepath.Base(file) + "\n")
	}
	return write(filepath.Join(r.assets(), "checksums.txt"), []byte(lines.String()))
}
