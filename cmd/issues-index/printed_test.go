package main

import (
	"bytes"
	"os"
	"testing"
)

// A printed is what a command left behind.
type printed struct {
	out, errOut string
	code        int
}

// runIn runs a command on a workspace, without a terminal and an environment.
func runIn(t *testing.T, root string, args ...string) printed {
	t.Helper()
	return runWith(t, func(string) string { return "" }, root, args...)
}

// runWith does so in an environment.
func runWith(t *testing.T, getenv func(string) string, root string, args ...string) printed {
	t.Helper()
	return runAnywhere(t, getenv, append([]string{"--workspace", root}, args...)...)
}

// runAnywhere does so without a workspace.
func runAnywhere(t *testing.T, getenv func(string) string, args ...string) printed {
	t.Helper()
	var out, errOut bytes.Buffer
	p := &program{in: os.Stdin, getwd: os.Getwd, out: &out, errOut: &errOut, getenv: getenv}
	code := p.run(t.Context(), args)
	return printed{out.String(), errOut.String(), code}
}
