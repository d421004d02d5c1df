package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A file goes into an archive; one whose name ends in / is a folder.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// read reads a file of the repository or of goreleaser's, for an archive.
func read(name string, mode fs.FileMode, from string) (file, error) {
	data, err := os.ReadFile(from)
	return file{name, mode, data}, err
}

// tarred packs files as a .tar, the same for the same files.
func tarred(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return packed.Bytes(), err
}

func gzipped(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}

// zipped packs files as a .zip, the same for the same files.
func zipped(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return packed.Bytes(), err
}

// write writes a file and the folders above it.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return b.Bytes(), err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func digestOf(name string) (string, error) {
	data, err := os.ReadFile(name)
	return digest(data), err
}
