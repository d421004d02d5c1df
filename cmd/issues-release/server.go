package main

import "path/filepath"

const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// writeServer writes the entry of the MCP registry, server.json: the same server as a package of
// npm, as a bundle for each system, and as a container image.
func (r *release) writeServer() error {
	stdio, serve := object{"type": "stdio"}, []object{{"type": "positional", "value": "serve"}}
	packages := []object{{
		"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": name, "version": r.version,
		"runtimeHint": "npx", "transport": stdio, "packageArguments": serve,
	}}
	for _, p := range r.programs {
		bundle := p.asset(".mcpb")
		sum, err := digestOf(filepath.Join(r.assets(), bundle))
		if err != nil {
			return err
		}
		packages = append(packages, object{
			"registryType": "mcpb", "identifier": r.download(bundle), "fileSha256": sum, "transport": stdio,
		})
	}
	packages = append(packages, object{
		"registryType": "oci", "identifier": r.image() + ":" + r.version, "runtimeHint": "docker", "transport": stdio,
		"runtimeArguments": []object{{
			"type": "named", "name": "--volume", "description": "The repository whose issues are served",
			"value": "{folder}:/workspace", "isRequired": true,
			"variables": object{"folder": object{
				"description": "The path of the repository", "format": "filepath", "isRequired": true,
			}},
		}},
	})
	data, err := indented(object{
		"$schema":     serverSchema,
		"name":        r.mcpName(),
		"title":       name,
		"description": r.Description,
		"version":     r.version,
		"repository":  object{"url": r.url(), "source": "github"},
		"packages":    packages,
	})
	if err != nil {
		return err
	}
	return write(filepath.Join(r.assets(), "server.json"), data)
}
