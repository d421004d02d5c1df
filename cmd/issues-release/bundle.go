package main

import (
	"errors"
	"path/filepath"
)

// writeBundles writes for each system an .mcpb, which hosts such as Claude Desktop install: a zip
// of the program and of a manifest that says how it is started.
func (r *release) writeBundles() error {
	for _, p := range r.programs {
		system, _ := p.npmSystem()
		program := "server/" + p.executable()
		data, err := indented(object{
			"manifest_version": "0.3",
			"name":             name,
			"display_name":     name,
			"version":          r.version,
			"description":      r.Description,
			"author":           object{"name": author, "url": r.url()},
			"repository":       object{"type": "git", "url": r.url() + ".git"},
			"homepage":         r.url(),
			"documentation":    r.url() + "#readme",
			"support":          r.url() + "/issues",
			"license":          "MIT",
			"keywords":         []string{"issues", "issue-tracker", "markdown", "tasks"},
			"server": object{
				"type":        "binary",
				"entry_point": program,
				"mcp_config": object{
					"command": "${__dirname}/" + program,
					"args":    []string{"serve", "--workspace", "${user_config.workspace}"},
					"env":     object{},
				},
			},
			"tools_generated":   true,
			"prompts_generated": true,
			"compatibility":     object{"platforms": []string{system}},
			"user_config": object{"workspace": object{
				"type": "directory", "title": "Folder", "description": "The repository whose issues are served",
				"required": true,
			}},
		})
		executable, missing := read(program, 0o755, p.file)
		license, none := read("LICENSE", 0o644, "LICENSE")
		if err := errors.Join(err, missing, none); err != nil {
			return err
		}
		packed, err := zipped([]file{{"manifest.json", 0o644, data}, executable, license}, r.at)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(r.assets(), p.asset(".mcpb")), packed); err != nil {
			return err
		}
	}
	return nil
}
