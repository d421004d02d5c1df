package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"

	"issues-index/store"
)

// parts is into how many the files are divided, so that where some have changed
// the rows of their parts alone have to be read.
const parts = 256

// A digest tells sets of files from each other, by their paths and by what the
// system says of them: for each part the fingerprints of its files, taken
// together by exclusive or.
type digest [parts]int64

// partOf is the part that a file belongs to.
func partOf(path string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path)) // never fails
	return int64(h.Sum32() % parts)
}

// toggle adds a file, or takes it away when it is in.
func (d *digest) toggle(path string, s store.Stat, unwatched bool) {
	look := make([]byte, 0, 256)
	look = append(look, path...)
	for _, n := range []uint64{uint64(s.Size), uint64(s.Mtime), uint64(s.Ctime), s.Inode, s.Device} { //nolint:gosec // bit for bit
		look = binary.LittleEndian.AppendUint64(look, n)
	}
	if unwatched {
		look = append(look, 1)
	}
	sum := sha256.Sum256(look)
	d[partOf(path)] ^= int64(binary.LittleEndian.Uint64(sum[:])) //nolint:gosec // bit for bit
}

// digestOf is the digest of files as they were listed.
func digestOf(files []store.File) *digest {
	const least = 1024 // files that are worth a goroutine
	var whole digest
	var mu sync.Mutex
	var all sync.WaitGroup
	for share := range slices.Chunk(files, max(least, len(files)/runtime.GOMAXPROCS(0)+1)) {
		all.Go(func() {
			var d digest
			for _, f := range share {
				d.toggle(f.Path, f.Stat, unwatched(f.Stat))
			}
			mu.Lock()
			defer mu.Unlock()
			for part := range whole {
				whole[part] ^= d[part]
			}
		})
	}
	all.Wait()
	return &whole
}

// differs returns the parts in which two sets of files differ.
func (d *digest) differs(other *digest) []int64 {
	var list []int64
	for part := range d {
		if d[part] != other[part] {
			list = append(list, int64(part))
		}
	}
	return list
}

// readDigest returns that of the files as the index knows them.
func readDigest(ctx context.Context, q querier) (*digest, error) {
	rows, err := q.QueryContext(ctx, `SELECT part, files FROM digest`)
	if err != nil {
		return nil, fmt.Errorf("read the digest of the files: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var d digest
	for rows.Next() {
		var part, files int64
		if err := rows.Scan(&part, &files); err != nil {
			return nil, fmt.Errorf("read the digest of the files: %w", err)
		}
		d[part%parts] = files
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the digest of the files: %w", err)
	}
	return &d, nil
}

// write brings the stored digest up to date with what a transaction has changed
// in it. SQL has no exclusive or; this is one.
func (d *digest) write(ctx context.Context, c *changes) error {
	for part, changed := range d {
		if changed == 0 {
			continue
		}
		_, err := c.exec(ctx, `INSERT INTO digest VALUES (?1, ?2) ON CONFLICT DO UPDATE SET files = (files | ?2) - (files & ?2)`, part, changed)
		if err != nil {
			return err
		}
	}
	return nil
}
