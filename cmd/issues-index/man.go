//go:build man

package main

import (
	"log"
	"os"

	"github.com/spf13/cobra/doc"
)

// Built with the tag man, `issues-index man DIRECTORY` writes the manual pages of all commands,
// from the month of SOURCE_DATE_EPOCH. A release has them made so. Its own program has no such
// command, since that would link cobra's package of documentation and another parser of Markdown
// into it.
func init() {
	if len(os.Args) != 3 || os.Args[1] != "man" {
		return
	}
	p := &program{in: os.Stdin, out: os.Stdout, errOut: os.Stderr, getenv: os.Getenv, getwd: os.Getwd}
	root := newRootCommand(p)
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Source: "issues-index " + version, Manual: "issues-index"}
	if err := doc.GenManTree(root, header, os.Args[2]); err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}
