package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/store/storetest"
	"issues-index/tools/pdpp"
	"issues-index/tools/pdpp/pdpptest"
)

// noRegistry is what npm says when it cannot reach one, or may not.
var noRegistry = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[137]|E503|network`)

// installClient puts an official TypeScript client, with the program of testdata that uses it,
// into a directory of its own.
func installClient(t *testing.T, program string) (node, directory string) {
	t.Helper()
	return installPackages(t, "the official TypeScript client", program, "client.mjs")
}

// installPackages puts packages from npm into a directory of their own, as the lock file in a
// directory of testdata has them, with other files of that directory. It skips the test, saying
// why, where they cannot be had.
func installPackages(t *testing.T, what, from string, others ...string) (node, directory string) {
	t.Helper()
	if !storetest.Long() {
		t.Skip("this takes long: -long")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("there is no node, so %s is NOT asked", what)
	}
	directory = t.TempDir()
	for _, name := range append([]string{"package.json", "package-lock.json"}, others...) {
		content, err := os.ReadFile(filepath.Join(repositoryRoot, "testdata", from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runNPM(t, what, directory, "ci")
	return node, directory
}

// runNPM has npm install something in a directory, without running what packages bring.
func runNPM(t *testing.T, what, directory string, args ...string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skipf("there is no npm, so %s is NOT asked", what)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, append(args, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1", "--fetch-timeout=30000")...)
	install.Dir = directory
	said, err := install.CombinedOutput()
	switch {
	case err != nil && (ctx.Err() != nil || noRegistry.Match(said)):
		t.Skipf("npm has no registry, so %s is NOT asked: %s", what, said)
	case err != nil:
		t.Fatalf("npm %s: %v\n%s", args, err, said)
	}
}

// Typed errors reach a model through the official TypeScript client, which lists the
// tools and from then on throws away what does not conform to their output schemas.
func TestTypedErrorsReachTheTypeScriptClient(t *testing.T) {
	node, directory := installClient(t, "pdpp/typescript")
	rs, environment := provider(t)
	rs.Put(pdpptest.Search, pdpptest.Override{Status: 500, Body: `{"error":{"code":"internal","message":"It failed"}}`})
	program, err := exec.LookPath("issues-index")
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(t.TempDir(), "sample")
	if err := copySample(workspace); err != nil {
		t.Fatal(err)
	}
	calls := pdppCalls()
	input, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, node, "client.mjs", program, "serve", "--workspace", workspace)
	run.Dir, run.Stdin = directory, bytes.NewReader(input)
	run.Env = append(os.Environ(), environment...)
	var log bytes.Buffer
	run.Stderr = &log
	output, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	type outcome struct {
		Text, Code, Thrown string
		IsError            bool
	}
	var got struct {
		Tools    []string
		Outcomes []outcome
		Planted  outcome
	}
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if !strings.Contains(got.Planted.Thrown, "schema") {
		t.Errorf("a planted error that breaks its schema was let through, so this test shows nothing: %+v", got.Planted)
	}
	for _, tool := range pdpp.Toolset(nil).Tools {
		if !slices.Contains(got.Tools, tool.Name) {
			t.Errorf("%s is not listed", tool.Name)
		}
	}
	for i, call := range calls {
		switch o := got.Outcomes[i]; {
		case o.Thrown != "":
			t.Errorf("%s %v: the client throws: %s", call.Name, call.Arguments, o.Thrown)
		case o.IsError != (call.Code != "") || o.Code != call.Code:
			t.Errorf("%s %v: %+v, want %q", call.Name, call.Arguments, o, call.Code)
		case call.Code != "" && !strings.Contains(o.Text, "["+call.Code+"]"):
			t.Errorf("%s %v: the text does not tell the code: %s", call.Name, call.Arguments, o.Text)
		}
	}
}
