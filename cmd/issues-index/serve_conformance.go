package main

import (
	"github.com/spf13/pflag"

	"issues-index/tools"
	"issues-index/tools/conformance"
	"issues-index/tools/resources"
)

// conformanceFlag adds the flag that has the fixtures of the official conformance suite
// served, too. No help shows it: it is of use to nobody but the suite.
func conformanceFlag(flags *pflag.FlagSet, fixtures *bool) {
	const name = "conformance"
	flags.BoolVar(fixtures, name, false, "serve the fixtures of MCP's conformance suite, too")
	flags.Lookup(name).Hidden = true
}

// errConformance is the error of fixtures that the suite could not reach.
var errConformance = &commandError{exitUsage,
	"--conformance is for MCP's conformance suite, which asks over HTTP",
	"give the address to serve at as well, as in --http :8080 --no-stdio"}

// addFixtures adds the fixtures to what a server offers.
func addFixtures(c *tools.Config) {
	c.Toolsets = append(c.Toolsets, conformance.Toolset())
	c.Prompts = append(c.Prompts, conformance.Prompts()...)
	c.Resources = conformance.Resources(resources.Set(true))
	c.Elicit = true
	c.Extend = conformance.Extend
}
