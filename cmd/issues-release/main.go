// Command issues-release makes what goreleaser does not make of a release: the packages for npm,
// the bundles for MCP hosts, the entry of the MCP registry, the container image, the formula of
// Homebrew, the script that installs, and the checksums of all files.
//
// It reads .goreleaser.yaml, for the repository and the description, and the folder that goreleaser
// has filled. It knows nothing of documents and indexes, and publishes nothing. Invariant: equal
// programs and an equal SOURCE_DATE_EPOCH make equal files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	dist := flag.String("dist", "dist", "the `folder` that goreleaser has filled")
	published := flag.Bool("published", false, "make nothing, but fail unless the repository has its name")
	flag.Parse()
	if err := run(*dist, *published); err != nil {
		fmt.Fprintln(os.Stderr, "issues-release:", err)
		os.Exit(1)
	}
}

func run(dist string, published bool) error {
	s, err := readSettings(".goreleaser.yaml")
	if err != nil {
		return err
	}
	if published {
		return s.published()
	}
	r, err := readRelease(s, dist)
	if err != nil {
		return err
	}
	// What names files by their checksums comes after them.
	return errors.Join(r.collect(), r.settleWinget(), r.writeNPM(), r.writeBundles(), r.writeImage(), r.writeServer(),
		r.writeFormula(), r.writeScript(), r.writeChecksums())
}
