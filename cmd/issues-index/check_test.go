package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"issues-index/index"
	"issues-index/index/repair"
	"issues-index/store"
	"issues-index/store/frontmatter"
)

func TestConfirm(t *testing.T) {
	p := &program{in: os.Stdin, getwd: os.Getwd, errOut: io.Discard}
	for _, c := range []struct {
		answer string
		want   bool
	}{
		{"y\n", true}, {"Yes\r\n", true}, {" yes \n", true},
		{"n\n", false}, {"\n", false}, {"yep\n", false}, {"", false},
		{"y", false}, // cut off, not entered
	} {
		p.in = strings.NewReader(c.answer)
		if got := p.confirm(context.Background(), "Sure?"); got != c.want {
			t.Errorf("%q counts as %v", c.answer, got)
		}
	}

	t.Run("an interrupt is a no, though nobody ends the line", func(t *testing.T) {
		silent, typing := io.Pipe()
		defer typing.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.in = silent
		if p.confirm(ctx, "Sure?") {
			t.Error("it counts as a yes")
		}
	})
}

func TestHintsDoNotBuryProblems(t *testing.T) {
	found := func(code store.ProblemCode, n int) (list []repair.Finding) {
		for range n {
			list = append(list, repair.Finding{DocumentProblem: index.DocumentProblem{Path: "a.md", Problem: store.Problem{Code: code, Message: "is so"}}})
		}
		return list
	}
	var out bytes.Buffer
	p := &program{in: os.Stdin, getwd: os.Getwd, out: &out, errOut: io.Discard, forPerson: true, getenv: func(string) string { return "" }}
	report := &repair.Report{Problems: found(frontmatter.ProblemNUL, 7), Hints: found("closed-with-open-boxes", 40)}
	if err := p.printReport(report, nil); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	problems, hints, _ := strings.Cut(text, "closed-with-open-boxes (40)\n")
	if strings.Count(problems, "a.md: "+string(frontmatter.ProblemNUL)) != 7 || strings.Count(hints, "a.md: closed-with-open-boxes") != 5 || !strings.Contains(hints, "\nand 35 more\n") {
		t.Errorf("got %s", text)
	}
	if err := problemsLeft(&repair.Report{Hints: report.Hints}); err != nil {
		t.Errorf("hints alone fail the check: %v", err)
	}
}
