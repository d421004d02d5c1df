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

	"issues-index/index/db"
	"issues-index/store"
)

// parts is into how many the files are divided, so that where some have changed
// the rows of their parts alone have to be read.
const parts = 256

// A digest tells sets of files from each other, by their paths and by what the
// system says of them.
type digest [parts]part

// A part is what a digest has of its files: their fingerprints, taken together by
// exclusive or, the same of the numbers of their devices, and how many they are.
type part struct{ files, devices, documents int64 }

// partOf is the part that a file belongs to.
func partOf(path string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path)) // never fails
	return int64(h.Sum32() % parts)
}

// add adds a file.
func (d *digest) add(path string, s store.Stat, unwatched bool) { d.toggle(path, s, unwatched, 1) }

// drop takes a file away.
func (d *digest) drop(path string, s store.Stat, unwatched bool) { d.toggle(path, s, unwatched, -1) }

// toggle adds a file, or takes it away when it is in. The number of its device is kept
// apart: it is another one whenever the file system is mounted again.
func (d *digest) toggle(path string, s store.Stat, unwatched bool, documents int64) {
	look := make([]byte, 0, 256)
	look = append(look, path...)
	for _, n := range []uint64{uint64(s.Size), uint64(s.Mtime), uint64(s.Ctime), s.Inode} { //nolint:gosec // bit for bit
		look = binary.LittleEndian.AppendUint64(look, n)
	}
	if unwatched {
		look = append(look, 1)
	}
	sum := sha256.Sum256(look)
	p := &d[partOf(path)]
	p.files ^= int64(binary.LittleEndian.Uint64(sum[:])) //nolint:gosec // bit for bit
	// An odd factor for each number, so that no two of them have one product.
	p.devices ^= int64(binary.LittleEndian.Uint64(sum[8:]) * (2*s.Device + 1)) //nolint:gosec // bit for bit
	p.documents += documents
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
				d.add(f.Path, f.Stat, unwatched(f.Stat))
			}
			mu.Lock()
			defer mu.Unlock()
			for i, p := range d {
				whole[i].files ^= p.files
				whole[i].devices ^= p.devices
				whole[i].documents += p.documents
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
func readDigest(ctx context.Context, q db.Querier) (*digest, error) {
	rows, err := q.QueryContext(ctx, `SELECT part, files, devices, documents FROM digest`)
	if err != nil {
		return nil, fmt.Errorf("read the digest of the files: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var d digest
	for rows.Next() {
		var number int64
		var p part
		if err := rows.Scan(&number, &p.files, &p.devices, &p.documents); err != nil {
			return nil, fmt.Errorf("read the digest of the files: %w", err)
		}
		d[number%parts] = p
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the digest of the files: %w", err)
	}
	return &d, nil
}

// write brings the stored digest up to date with what a transaction has changed
// in it. SQL has no exclusive or; this is one.
func (d *digest) write(ctx context.Context, c *changes) error {
	for number, changed := range d {
		if changed == (part{}) {
			continue
		}
		_, err := c.exec(ctx, `INSERT INTO digest VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET
			files = (files | ?2) - (files & ?2), devices = (devices | ?3) - (devices & ?3), documents = documents + ?4`,
			number, changed.files, changed.devices, changed.documents)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRows is db.ErrDamaged when the index lacks rows that it was given: another program
// has deleted them. Its statement counts by the smallest indexes that there are.
func checkRows(ctx context.Context, q db.Querier) error {
	var rows, digested, found, tallied int64
	err := q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM document), (SELECT coalesce(sum(documents), 0) FROM digest),
		(SELECT count(*) FROM search_docsize), (SELECT coalesce(sum(documents), 0) FROM facet_tally)`).Scan(&rows, &digested, &found, &tallied)
	if err != nil {
		return fmt.Errorf("count the index's rows: %w", err)
	}
	if rows != digested || rows != found || rows != tallied {
		return fmt.Errorf("%w: of %d documents it has %d rows, %d are in the full-text table and %d in the tallies", db.ErrDamaged, digested, rows, found, tallied)
	}
	return nil
}
