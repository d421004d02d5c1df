//go:build !windows

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
	"issues-index/tools/config"
)

// A sdkReport is what a client built on an official SDK says of its conversation.
type sdkReport struct {
	Server                          string
	Tools, Prompts, Completed       []string
	Progress                        []float64
	Created, Read, Resource, Prompt string
	Refused, Thrown, Missing        string // what it was told of what cannot be
	Updated                         string // the URI that it was told of
	Cancelled, Declined, Deleted    string
}

// TestTypeScriptClientsOverHTTP has the official TypeScript clients, the older package and the
// one that replaces it, talk to a server.
func TestTypeScriptClientsOverHTTP(t *testing.T) {
	node, directory := installClient(t, "clients/typescript")
	for _, c := range [][2]string{{"sdk", "2025-11-25"}, {"client", "2025-11-25"}, {"client", "2026-07-28"}} {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			conversesOverHTTP(t, c[1], directory, node, "client.mjs", c[0])
		})
	}
}

// TestGoClientOverHTTP has the official Go client talk to a server.
func TestGoClientOverHTTP(t *testing.T) {
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	client := filepath.Join(t.TempDir(), "client")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", client, ".")
	build.Dir = filepath.Join(repositoryRoot, "testdata", "clients", "go")
	build.Env = append(os.Environ(), "GOWORK=off")
	switch said, err := build.CombinedOutput(); {
	case err != nil && (noRegistry.Match(said) || bytes.Contains(said, []byte("dial tcp"))):
		t.Skipf("there is no module proxy, so the official Go client is NOT asked: %s", said)
	case err != nil:
		t.Fatalf("%v\n%s", err, said)
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { conversesOverHTTP(t, revision, t.TempDir(), client) })
	}
}

// conversesOverHTTP has a client talk to servers of its own, without tokens and with one. The
// revision and the address go behind its arguments.
func conversesOverHTTP(t *testing.T, revision, directory, program string, args ...string) {
	t.Helper()
	talks := func(t *testing.T, token string) {
		t.Helper()
		served := serveTwoWorkspaces(t)
		got, err := served.converse(t, token, directory, program, append(args, revision, served.url)...)
		if err != nil {
			t.Fatal(err)
		}
		got.check(t, revision)
		served.end(t)
	}
	t.Run("without tokens", func(t *testing.T) { talks(t, "") })
	t.Run("with a token", func(t *testing.T) {
		newTokenFile(t)
		talks(t, newToken(t, "client", "--scopes", "read,write,delete"))
	})
	t.Run("without the token that it needs", func(t *testing.T) {
		newTokenFile(t)
		newToken(t, "another")
		served := serveTwoWorkspaces(t)
		if got, err := served.converse(t, "", directory, program, append(args, revision, served.url)...); err == nil || !strings.Contains(err.Error(), "nauthorized") && !strings.Contains(err.Error(), "needs a token") {
			t.Errorf("it was told %v, and got %+v", err, got)
		}
	})
}

// serveTwoWorkspaces serves a workspace, with another one that calls may name.
func serveTwoWorkspaces(t *testing.T) *servedHTTP {
	t.Helper()
	// The other workspace is opened by the first call that names it, which therefore waits.
	root := realTempDir(t)
	for _, name := range []string{"here", "other"} {
		if err := copySample(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(root, "own.yaml")
	if err := os.WriteFile(own, fmt.Appendf(nil, "workspaces: {other: %q}\n", filepath.Join(root, "other")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(config.UserFileVariable, own)
	return serveOverHTTP(t, filepath.Join(root, "here"))
}

// check holds a report to what a conversation has to be.
func (got sdkReport) check(t *testing.T, revision string) {
	t.Helper()
	for what, holds := range map[string]bool{
		"the name of the server": got.Server == "issues-index",
		"the list of tools":      slices.Contains(got.Tools, "issues_create") && slices.Contains(got.Tools, "issues_edit"),
		"progress":               len(got.Progress) > 0 && slices.IsSorted(got.Progress),
		"a write and a read":     strings.Contains(got.Read, got.Created) && strings.Contains(got.Read, "Written by a client."),
		"an error of a tool":     strings.HasPrefix(got.Refused, "Error [ISSUE_NOT_FOUND]: Issue ISS-999999 not found."),
		"an error of MCP":        strings.Contains(got.Thrown, "Unknown tool 'no_such_tool'. tools/list names them all."),
		"a resource":             strings.HasPrefix(got.Resource, "---\nid: "+got.Created+"\n"),
		"a resource that is not": strings.Contains(got.Missing, "Issue ISS-999999 not found."),
		"the prompts":            slices.Equal(got.Prompts, []string{"work_next", "triage", "review"}),
		"a prompt":               strings.HasPrefix(got.Prompt, "Review the work of "+got.Created+"."),
		"a completion":           slices.Contains(got.Completed, got.Created),
		"a user who declines":    strings.Contains(got.Declined, "[PERMISSION_DENIED]: The user was asked and declined"),
		"a user who agrees":      strings.HasPrefix(got.Deleted, "Deleted "+got.Created+" "),
	} {
		if !holds {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if revision < "2026-07-28" && got.Cancelled == "" {
		t.Errorf("a call that is cancelled: %+v", got)
	}
	if got.Updated != "issues://here/"+got.Created {
		t.Errorf("it was told of a change of %q", got.Updated)
	}
}

// converse runs a client and returns what it says of its conversation. What it cannot do is an
// error with what it said of that.
func (s *servedHTTP) converse(t *testing.T, token, directory, program string, args ...string) (got sdkReport, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, program, args...)
	run.Dir, run.Env = directory, append(os.Environ(), "TOKEN="+token)
	var said bytes.Buffer
	run.Stderr = &said
	output, err := run.Output()
	if err == nil {
		err = json.Unmarshal(output, &got)
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s%s%q", err, output, &said, s.troubles)
	}
	return got, err
}
