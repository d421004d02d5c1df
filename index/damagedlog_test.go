package index

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"issues-index/store/storetest"
)

// A server that is killed leaves the newest changes in the write-ahead log.
// The sizes of the write-ahead log's headers, see
// https://www.sqlite.org/fileformat2.html#walformat
const (
	headerSize      = 32
	frameHeaderSize = 24
)

func TestLogOfAKilledServer(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	p := w.spawn(ModeWatch, nil)
	p.send(request{Do: "ask"})
	p.receive()
	p.stop()
	p = w.spawn(ModeWatch, nil)
	for i := range 10 {
		w.write(fmt.Sprintf(".wrangler/issues/DOC-%04d.md", 5*(i%2)), w.text("DOC-0000"))
		w.write(fmt.Sprintf(".wrangler/ideas/new-%d.md", i), w.text("NEW-0000"))
		p.send(request{Do: "ask"})
		p.receive()
	}
	p.kill()
	c := &casket{tree: w, path: w.abs(DefaultPath), prints: w.print()}
	left := map[string][]byte{}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(c.path + suffix)
		w.must(err)
		left[suffix] = data
	}
	if len(left["-wal"]) < 10*4096 {
		t.Fatalf("the log is %d bytes long: the test proves nothing", len(left["-wal"]))
	}
	// again puts back what the server left, with a part changed.
	again := func(suffix string, change func(data []byte) []byte) {
		for s, data := range left {
			if s == suffix {
				data = change(data)
			}
			if c.must(os.RemoveAll(c.path + s)); data != nil {
				c.overwrite(c.path+s, data)
			}
		}
		c.start()
	}
	r := seeded(t)

	t.Run("whole", func(t *testing.T) {
		again("", func(data []byte) []byte { return data })
		built := generation(t, c.path)
		again("", func(data []byte) []byte { return data })
		if now := generation(t, c.path); now != built {
			t.Errorf("the index was built again, though nothing was wrong with it")
		}
	})
	for name, damage := range storetest.Few(map[string]func(t *testing.T){
		"deleted":                    func(t *testing.T) { again("-wal", func([]byte) []byte { return nil }) },
		"emptied":                    func(t *testing.T) { again("-wal", func([]byte) []byte { return []byte{} }) },
		"with shared memory deleted": func(t *testing.T) { again("-shm", func([]byte) []byte { return nil }) },
		"with shared memory cut":     func(t *testing.T) { again("-shm", func(data []byte) []byte { return data[:100] }) },
		"with a bit of shared memory turned": func(t *testing.T) {
			for range often(2) {
				again("-shm", func(data []byte) []byte { return flipped(r, data) })
			}
		},
		"with a bit of its header turned": func(t *testing.T) {
			skew := r.IntN(8)
			for at := range headerSize {
				if at%8 != skew && !storetest.Long() {
					continue
				}
				again("-wal", func(data []byte) []byte {
					data = bytes.Clone(data)
					data[at] ^= 1 << r.IntN(8)
					return data
				})
			}
		},
		"with a bit turned anywhere": func(t *testing.T) {
			for range often(4) {
				again("-wal", func(data []byte) []byte { return flipped(r, data) })
			}
		},
		"with a bit of a frame's header turned": func(t *testing.T) {
			const frame = 4096 + frameHeaderSize
			for range often(3) {
				again("-wal", func(data []byte) []byte {
					data = bytes.Clone(data)
					data[headerSize+r.IntN(len(data)/frame)*frame+r.IntN(frameHeaderSize)] ^= 1 << r.IntN(8)
					return data
				})
			}
		},
		"cut anywhere": func(t *testing.T) {
			for range often(3) {
				again("-wal", func(data []byte) []byte { return data[:r.IntN(len(data))] })
			}
		},
		"of another index": func(t *testing.T) {
			again("", func([]byte) []byte {
				data, err := os.ReadFile(otherIndex(t))
				w.must(err)
				return data
			})
		},
	}, 5) {
		t.Run(name, damage)
	}
}
