package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"issues-index/store/yamlfile"
)

// A configFile is the location of a configuration file, or of the .env file.
type configFile struct {
	path   string // "" for none
	shown  string // the path in messages
	root   string // the folder that links must not lead out of, "" for any
	inRoot string // the path below root
	named  bool   // by the user: it must exist
}

// file returns the location of the configuration file.
func (o Options) file() configFile {
	inRoot := filepath.FromSlash(DefaultFile)
	name := o.File
	if name == "" && o.Getenv != nil {
		name = o.Getenv(FileVariable)
	}
	if name == "" {
		if o.Root == "" {
			return configFile{}
		}
		return configFile{path: filepath.Join(o.Root, inRoot), shown: DefaultFile, root: o.Root, inRoot: inRoot}
	}
	path, err := filepath.Abs(name)
	if err != nil {
		path = name
	}
	f := configFile{path: path, shown: name, named: true}
	if o.checking && o.isWorkspaceFile(f) {
		f.root, f.inRoot = o.Root, inRoot
	}
	return f
}

// userFile returns the location of the user's own configuration file.
func (o Options) userFile() configFile {
	return configFile{path: o.UserFile, shown: o.UserFile, named: o.UserFileNamed}
}

// isWorkspaceFile reports whether a file is the workspace's own, whatever name it is given.
func (o Options) isWorkspaceFile(f configFile) bool {
	return o.Root != "" && sameFile(f.path, filepath.Join(o.Root, filepath.FromSlash(DefaultFile)))
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// maxFile is the largest configuration file, in bytes.
const maxFile = yamlfile.MaxSize

// stat describes the file that the path leads to now.
func (f configFile) stat() (os.FileInfo, error) {
	if f.path == "" {
		return nil, fs.ErrNotExist
	}
	return os.Stat(f.path)
}

// read returns the content of the file, at most one byte more than maxFile.
func (f configFile) read() (data []byte, err error) {
	if f.path == "" {
		return nil, fs.ErrNotExist
	}
	stat, open := os.Stat, os.Open
	name := f.path
	if f.root != "" {
		root, err := os.OpenRoot(f.root)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, root.Close()) }()
		stat, open, name = root.Stat, root.Open, f.inRoot
	}
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading a pipe may block for ever
		return nil, errors.New("it is not a regular file")
	}
	opened, err := open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return io.ReadAll(io.LimitReader(opened, maxFile+1))
}

// missing reports whether an error means that a file does not exist.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// cause says why a file cannot be read, without its path.
func cause(err error) string {
	var path *fs.PathError
	switch {
	case missing(err):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read"
	case errors.As(err, &path) && strings.Contains(path.Err.Error(), "escapes"):
		return "it leads out of its folder; a file that you name with --config or --env-file may"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}
