package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"issues-index/store/frontmatter"
	"issues-index/store/storetest"
)

func TestSeveralProcessesLoseNoUpdateAndShareNoID(t *testing.T) {
	const processes = 4
	operations := 40
	if storetest.Long() {
		operations = 500
	}
	w := modelWorkspace(t)
	outputs := make([][]byte, processes)
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		c := child(t, "model", w.Root, strconv.Itoa(i), strconv.Itoa(operations))
		wg.Go(func() { outputs[i], errs[i] = c.Output() })
	}
	wg.Wait()
	var acks []acknowledgement
	for i, out := range outputs {
		if errs[i] != nil {
			var exit *exec.ExitError
			errors.As(errs[i], &exit)
			t.Fatalf("process %d: %v\n%s%s", i, errs[i], out, exit.Stderr)
		}
		acks = append(acks, readAcknowledgements(t, out)...)
	}
	if len(acks) != processes*operations {
		t.Errorf("%d acknowledgements of %d operations", len(acks), processes*operations)
	}
	checkModel(t, w, acks)
}

func readAcknowledgements(t *testing.T, out []byte) []acknowledgement {
	t.Helper()
	var acks []acknowledgement
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), "{") {
			continue
		}
		var a acknowledgement
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		acks = append(acks, a)
	}
	return acks
}

// runModel is one of the processes.
func runModel(t *testing.T, args []string) {
	number, err := strconv.Atoi(args[1])
	if err != nil {
		t.Fatal(err)
	}
	operations, err := strconv.Atoi(args[2])
	if err != nil {
		t.Fatal(err)
	}
	m := newModelWriter(openWorkspace(t, args[0], nil), number, 1, func(a acknowledgement) {
		line, err := json.Marshal(a)
		if err != nil {
			t.Error(err)
		}
		fmt.Printf("%s\n", line)
	})
	if err := m.run(operations); err != nil {
		t.Fatal(err)
	}
}

func TestSeveralGoroutinesLoseNoUpdateAndShareNoID(t *testing.T) {
	operations := 40
	if storetest.Long() {
		operations = 300
	}
	w := modelWorkspace(t)
	other := openWorkspace(t, w.Root, nil) // as two servers in one process have it
	var mu sync.Mutex
	var acks []acknowledgement
	var wg sync.WaitGroup
	for i := range 4 {
		ws := w
		if i%2 == 1 {
			ws = other
		}
		m := newModelWriter(ws, i, 2, func(a acknowledgement) {
			mu.Lock()
			defer mu.Unlock()
			acks = append(acks, a)
		})
		wg.Go(func() {
			if err := m.run(operations); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	checkModel(t, w, acks)
}

func TestTwoProcessesChangeDifferentFieldsOfOneDocument(t *testing.T) {
	rounds := 50
	if storetest.Long() {
		rounds = 1000
	}
	w := newWorkspace(t, map[string]string{aPath: openIssue})
	var wg sync.WaitGroup
	for _, field := range []string{"project", "assignee"} {
		c := child(t, "field", w.Root, field, strconv.Itoa(rounds))
		wg.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", field, err, out)
			}
		})
	}
	wg.Wait()
	doc, _, err := w.Load(aPath)
	if want := strconv.Itoa(rounds); err != nil || doc.Project != want || doc.Assignee != want || doc.Body != "\nThe body.\n" {
		t.Errorf("%+v, %v", doc, err)
	}
}

// runField counts up in one field, and sees that nobody else sets it back.
func runField(t *testing.T, args []string) {
	w := openWorkspace(t, args[0], nil)
	rounds, err := strconv.Atoi(args[2])
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= rounds; i++ {
		value := strconv.Itoa(i)
		_, err := w.Update(context.Background(), aPath, func(doc *Document) (Fields, error) {
			was, f := doc.Project, Fields{Project: &value}
			if args[1] == "assignee" {
				was, f = doc.Assignee, Fields{Assignee: &value}
			}
			if want := strconv.Itoa(i - 1); was != want && i > 1 {
				t.Errorf("%s was %q, not %s", args[1], was, want)
			}
			return f, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOfAProcessKilledUnderLoadEveryAcknowledgedWriteIsOnDisk(t *testing.T) {
	rounds := 10
	if storetest.Long() {
		rounds = 100
	}
	w := newWorkspace(t, nil)
	random := rand.New(rand.NewPCG(3, 3))
	acknowledged := map[string]string{}
	for round := range rounds {
		c := child(t, "create", w.Root)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		deadAfter := 1 + random.IntN(10)
		for n := 1; lines.Scan(); n++ {
			id, p, _ := strings.Cut(lines.Text(), " ")
			if acknowledged[id] != "" {
				t.Errorf("round %d: %s is %s and %s", round, id, acknowledged[id], p)
			}
			acknowledged[id] = p
			if n == deadAfter { // in the middle of whatever it does by now
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}
	}
	l := list(t, w)
	if _, err := w.RemoveStaleTempFiles(context.Background(), l); err != nil {
		t.Error(err)
	}
	if stray := temporaries(tree(t, w.Root)); len(stray) > 0 {
		t.Error(stray)
	}
	if extra := len(l.Files) - len(acknowledged); extra < 0 || extra > rounds {
		t.Errorf("%d documents, %d acknowledged", len(l.Files), len(acknowledged))
	}
	seen := map[string]bool{}
	for _, f := range l.Files {
		doc, _, err := w.Load(f.Path)
		// What was being closed has its new place before its new text, and no more is missing.
		halfway := acknowledged[doc.ID] == "" && len(doc.Problems) == 1 && doc.Problems[0].Code == frontmatter.ProblemStatusFolder && doc.Status == "open"
		if err != nil || len(doc.Problems) > 0 && !halfway || seen[doc.ID] {
			t.Errorf("%s is %+v, %v", f.Path, doc.Problems, err)
		}
		seen[doc.ID] = true
		delete(acknowledged, doc.ID)
	}
	if len(acknowledged) > 0 {
		t.Errorf("not on disk: %v", acknowledged)
	}
}

// runCreate creates and changes documents until it is killed.
func runCreate(t *testing.T, args []string) {
	w := openWorkspace(t, args[0], nil)
	for {
		done, err := w.Create(context.Background(), NewDocument{Title: "T", Description: strings.Repeat("x\n", 1000)}, floor(0))
		if err != nil {
			t.Fatal(err)
		}
		if done, err = w.Update(context.Background(), done.Path, func(*Document) (Fields, error) { return Fields{Status: new("closed")}, nil }); err != nil {
			t.Fatal(err)
		}
		fmt.Println(done.After.ID, done.Path)
	}
}
