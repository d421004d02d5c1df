package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"

	"issues-index/index/db"
	"issues-index/store"
)

// buckets is into how many the files are divided, so that where some have changed
// only the rows of their buckets have to be read.
const buckets = 256

// A filesetHash tells sets of files from each other, by their paths and by what the
// system says of them.
type filesetHash [buckets]bucket

// A bucket is what a hash has of its files: their fingerprints, taken together by
// exclusive or, and how many they are.
type bucket struct{ files, documents int64 }

// bucketOf is the bucket that a file belongs to.
func bucketOf(path string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path)) // never fails
	return int64(h.Sum32() % buckets)
}

// add adds a file.
func (d *filesetHash) add(path string, s store.Stat, unwatched bool) { d.toggle(path, s, unwatched, 1) }

// drop takes a file away.
func (d *filesetHash) drop(path string, s store.Stat, unwatched bool) {
	d.toggle(path, s, unwatched, -1)
}

// toggle adds a file, or takes it away when it is in. The number of its device is left
// out: it is another one whenever the file system is mounted again.
func (d *filesetHash) toggle(path string, s store.Stat, unwatched bool, documents int64) {
	look := make([]byte, 0, 256)
	look = append(look, path...)
	for _, n := range []uint64{uint64(s.Size), uint64(s.Mtime), uint64(s.Ctime), s.Inode} { //nolint:gosec // bit for bit
		look = binary.LittleEndian.AppendUint64(look, n)
	}
	if unwatched {
		look = append(look, 1)
	}
	sum := sha256.Sum256(look)
	p := &d[bucketOf(path)]
	p.files ^= int64(binary.LittleEndian.Uint64(sum[:])) //nolint:gosec // bit for bit
	p.documents += documents
}

// hashOfFiles is the hash of files as they were listed.
func hashOfFiles(files []store.File) *filesetHash {
	const least = 1024 // files that are worth a goroutine
	var whole filesetHash
	var mu sync.Mutex
	var all sync.WaitGroup
	for share := range slices.Chunk(files, max(least, len(files)/runtime.GOMAXPROCS(0)+1)) {
		all.Go(func() {
			var d filesetHash
			for _, f := range share {
				d.add(f.Path, f.Stat, unwatched(f.Stat))
			}
			mu.Lock()
			defer mu.Unlock()
			for i, p := range d {
				whole[i].files ^= p.files
				whole[i].documents += p.documents
			}
		})
	}
	all.Wait()
	return &whole
}

// differs returns the buckets in which two sets of files differ.
func (d *filesetHash) differs(other *filesetHash) []int64 {
	var list []int64
	for number := range d {
		if d[number] != other[number] {
			list = append(list, int64(number))
		}
	}
	return list
}

// readFilesetHash returns the hash of the files as the index knows them.
func readFilesetHash(ctx context.Context, q db.Querier) (*filesetHash, error) {
	var d filesetHash
	_, err := readAll(ctx, q, "digest of the files", func(scan func(...any) error) (p bucket, err error) {
		var number int64
		err = scan(&number, &p.files, &p.documents)
		d[number%buckets] = p
		return p, err
	}, `SELECT part, files, documents FROM digest`)
	return &d, err
}

// write brings the stored hash up to date with what a transaction has changed
// in it. SQL has no exclusive or; this is one.
func (d *filesetHash) write(ctx context.Context, c *rowWriter) error {
	for number, changed := range d {
		if changed == (bucket{}) {
			continue
		}
		_, err := c.exec(ctx, `INSERT INTO digest VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET
			files = (files | ?2) - (files & ?2), documents = documents + ?3`, number, changed.files, changed.documents)
		if err != nil {
			return err
		}
	}
	return nil
}
