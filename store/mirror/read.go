package mirror

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// A PublishedLine is a line of which a mirror has the manifest.
type PublishedLine struct {
	Line
	Manifest Manifest
}

// ReadLines reads the manifests of all lines of the mirror in a folder, in the order of the
// names of their folders. A line without a manifest has not wholly come yet and is left out;
// so is one whose manifest cannot be read, with an error in refused.
func ReadLines(root *os.Root) (lines []PublishedLine, refused []error, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, nil, fmt.Errorf("read the mirror: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	if err = errors.Join(err, dir.Close()); err != nil {
		return nil, nil, fmt.Errorf("read the mirror: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		line, ok := ParseLine(name)
		if !ok {
			continue
		}
		m, err := readManifest(root, line)
		switch {
		case err == nil:
			lines = append(lines, PublishedLine{line, m})
		case !errors.Is(err, fs.ErrNotExist):
			refused = append(refused, fmt.Errorf("%s: %w", line, err))
		}
	}
	return lines, refused, nil
}

// readManifest reads the manifest of one line.
func readManifest(root *os.Root, line Line) (m Manifest, err error) {
	name := line.String() + "/" + ManifestPath
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return m, errors.Join(err, fs.ErrNotExist)
	}
	f, err := root.Open(name)
	if err != nil {
		return m, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxManifest+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return m, err
	}
	return ParseManifest(data)
}
