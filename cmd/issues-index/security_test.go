//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// securityTest is a test or a scenario that SECURITY.md names.
var securityTest = regexp.MustCompile("`((?:Test|Fuzz)\\w+)(?:/(\\w+))?`")

// Each promise of SECURITY.md names the tests that hold it, and each of them is there.
func TestSecurityPromisesAreHeld(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(repositoryRoot, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, promises, begun := strings.Cut(string(data), "\n## What is not trusted\n")
	promises, _, ended := strings.Cut(promises, "\n## What is out of scope\n")
	if !begun || !ended {
		t.Fatal("SECURITY.md has no section of promises")
	}
	items := 0
	for part := range strings.SplitSeq(strings.ReplaceAll(promises, "\n- ", "\n\n- "), "\n\n") {
		part = strings.TrimSpace(part)
		if !strings.HasPrefix(part, "- ") {
			continue
		}
		items++
		named := securityTest.FindAllStringSubmatch(part, -1)
		if len(named) == 0 {
			t.Errorf("no test holds: %s", part)
		}
		for _, test := range named {
			if !allTests()[test[1]] {
				t.Errorf("no test is called %s: %s", test[1], part)
			}
			scenario := filepath.Join("testdata", "script", test[2]+".txtar")
			if _, err := os.Stat(scenario); test[2] != "" && err != nil {
				t.Errorf("%s/%s: %v", test[1], test[2], err)
			}
		}
	}
	if items < 40 {
		t.Errorf("only %d promises were found", items)
	}
}
