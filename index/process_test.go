package index

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The other process of a test is this test program again, told by the
// environment what to be. It answers requests, a JSON line each, until its
// input ends.
const (
	processRoot    = "INDEX_TEST_ROOT"
	processMode    = "INDEX_TEST_MODE"
	processWatches = "INDEX_TEST_WATCHES" // how many the system may grant it
)

// watchLimit is where Linux keeps how many folders a user may watch.
const watchLimit = "/proc/sys/user/max_inotify_watches"

type request struct {
	Do    string // ask, rebuild, change, stir, grant as many watches as Words says, or anything else to go on with a rebuild
	Words []string
	// Kind is of the change to make, by a hand of this number, from 1.
	Kind, Hand int
	Seed       uint64
}

type reply struct {
	Answers answers
	Health  Health
	Error   string
	Log     string // all of it
	// Done and Total come with the progress of a rebuild, which waits for a
	// request to go on; Total is 0 when it is over.
	Done, Total int
}

func TestBeTheOtherProcess(t *testing.T) {
	root := os.Getenv(processRoot)
	if root == "" {
		t.Skip("it is for other tests to run")
	}
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "another process:", err)
			os.Exit(1)
		}
	}
	if limit := os.Getenv(processWatches); limit != "" {
		must(os.WriteFile(watchLimit, []byte(limit), 0o644))
	}
	mode := ModeWatch
	if os.Getenv(processMode) == ModeVerify.String() {
		mode = ModeVerify
	}
	var log strings.Builder
	ix, err := openAt(root, Options{Mode: mode, CacheTTL: time.Nanosecond, Log: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	must(err)
	requests, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var h *hand
	for {
		var q request
		err := requests.Decode(&q)
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		var r reply
		switch q.Do {
		case "ask":
			if r.Answers, err = answersOf(t.Context(), ix, q.Words); err == nil {
				r.Health, err = ix.Health(t.Context())
			}
			r.Log = log.String()
		case "change":
			if h == nil { // no two hands make the same words and ids
				h = &hand{tree: &tree{TB: t, root: root, words: q.Hand * 1_000_000}, made: q.Hand * 2500}
				h.Rand = rand.New(rand.NewPCG(q.Seed, 0))
			}
			kinds[q.Kind].change(h)
		case "stir":
			go stir(root)
		case "grant":
			err = os.WriteFile(watchLimit, []byte(q.Words[0]), 0o644)
		case "rebuild":
			_, err = ix.Rebuild(WithProgress(t.Context(), func(done, total int) {
				must(errors.Join(replies.Encode(reply{Done: done, Total: total}), requests.Decode(&q)))
			}))
		}
		if err != nil {
			r.Error = err.Error()
		}
		must(replies.Encode(r))
	}
	must(closeAll(ix))
}

// stir changes files that are no documents, in folders that are watched, until the process ends.
func stir(root string) {
	for at := filepath.Join(root, ".wrangler/issues/stirred"); ; time.Sleep(time.Millisecond) {
		_ = os.WriteFile(at+".txt", []byte("as may be"), 0o644)
		_ = os.Rename(at+".txt", at+".md~")
		_ = os.Chmod(at+".md~", 0o600)
	}
}

// A process serves a tree beside the test's own.
type process struct {
	*tree
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
	stopped bool
}

// spawn starts a process. change, if not nil, may change how.
func (w *tree) spawn(mode Mode, change func(*exec.Cmd)) *process {
	w.Helper()
	p := &process{tree: w, cmd: exec.Command(os.Args[0], "-test.run=^TestBeTheOtherProcess$")}
	p.cmd.Env = append(os.Environ(), processRoot+"="+w.root, processMode+"="+mode.String())
	p.cmd.Stderr = os.Stderr
	if change != nil {
		change(p.cmd)
	}
	var err error
	p.in, err = p.cmd.StdinPipe()
	w.must(err)
	out, err := p.cmd.StdoutPipe()
	w.must(err)
	p.out = json.NewDecoder(bufio.NewReader(out))
	w.must(p.cmd.Start())
	w.Cleanup(p.kill)
	return p
}

// send hands a request over; the reply may be waited for later.
func (p *process) send(q request) {
	p.Helper()
	p.must(json.NewEncoder(p.in).Encode(q))
}

func (p *process) receive() reply {
	p.Helper()
	var r reply
	if err := p.out.Decode(&r); err != nil {
		said, _ := io.ReadAll(p.out.Buffered())
		p.Fatalf("another process: %v: %s", err, said)
	}
	if r.Error != "" {
		p.Fatalf("another process: %s", r.Error)
	}
	return r
}

func (p *process) ask(_ context.Context, words []string) (answers, error) {
	var r reply
	if err := json.NewEncoder(p.in).Encode(request{Do: "ask", Words: words}); err != nil {
		return answers{}, err
	}
	if err := p.out.Decode(&r); err != nil {
		return answers{}, fmt.Errorf("read another process's answers: %w", err)
	}
	if r.Error != "" {
		return answers{}, errors.New(r.Error)
	}
	return r.Answers, nil
}

// stop ends the process as the end of its input does.
func (p *process) stop() {
	p.Helper()
	p.stopped = true
	p.must(p.in.Close())
	p.must(p.cmd.Wait())
}

// kill ends the process with no chance to do anything more.
func (p *process) kill() {
	if p.stopped {
		return
	}
	p.stopped = true
	if err := p.cmd.Process.Kill(); err == nil {
		_ = p.cmd.Wait() // says that it was killed
	}
}
