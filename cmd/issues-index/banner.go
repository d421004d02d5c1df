package main

import (
	"fmt"
	"os"

	"issues-index/store"
	"issues-index/tools/config"
)

// printBanner tells a person who started the server by hand what it serves, and how a
// client is told to start it.
func (p *program) printBanner(ws *store.Workspace, c *config.Config) {
	program, err := os.Executable()
	if err != nil {
		program = "issues-index"
	}
	serves := ""
	if c.HasToolset("issues") || c.HasToolset("session") {
		serves += "  the documents below " + ws.Root + "\n"
	}
	if c.HasToolset("wagtail") {
		serves += "  the Wagtail site " + c.Wagtail.BaseURL + "\n"
	}
	if c.HasToolset("pdpp") {
		serves += "  the PDPP resource server " + c.PDPP.ProviderURL + "\n"
	}
	fmt.Fprintf(p.errOut, `Serving over MCP on standard input and output:
%s
A client starts this by itself; tell it so, for example:
  claude mcp add issues -- %s serve --workspace %s --output text
or in its configuration: {"command": %q, "args": ["serve", "--workspace", %q]}
Ctrl-D or Ctrl-C ends it.
`, harmless(serves), shellWord(program), shellWord(ws.Root), program, ws.Root)
}
