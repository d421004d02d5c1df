package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// StatAt is what the system says of the file at p below dir, which info describes. Other
// than the calls that gave info, it knows when anything of the file was last changed, which
// an edit cannot hide, and which file it is: a copy with the times of the first is another.
func StatAt(dir, p string, info fs.FileInfo) Stat {
	// No rights but to look: no program that has the file open is in the way of that.
	h, err := OpenShared(filepath.Join(dir, filepath.FromSlash(p)), windows.FILE_READ_ATTRIBUTES, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS)
	if err != nil {
		return StatOf(info)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	return statByHandle(h, info)
}

// isSpelled reports whether the names below its collection that lead to a document are written so on
// disk. The system finds the file by names in another case, too, which it had before it was
// renamed; a document has one path.
func (w *Workspace) isSpelled(p string) bool {
	c, ok := w.CollectionOf(p)
	if !ok {
		return true
	}
	rel, _ := below(c.Dir, p)
	at := w.Absolute(c.Dir)
	for name := range strings.SplitSeq(rel, "/") {
		if at = filepath.Join(at, name); spelling(at) != name {
			return false
		}
	}
	return true
}

// spelling is the last name of a path as it is written on disk, or as it is given where the path
// leads nowhere.
func spelling(full string) string {
	given := filepath.Base(full)
	path, err := windows.UTF16PtrFromString(full)
	if err != nil {
		return given
	}
	var found windows.Win32finddata
	h, err := windows.FindFirstFile(path, &found)
	if err != nil {
		return given
	}
	_ = windows.FindClose(h)
	if name := windows.UTF16ToString(found.FileName[:]); strings.EqualFold(name, given) {
		return name
	}
	return given // a short name, or a wildcard
}

// statOpen is what the system says of an open file, which info describes.
func statOpen(f *os.File, info fs.FileInfo) Stat {
	return statByHandle(windows.Handle(f.Fd()), info)
}

// basicInfo is FILE_BASIC_INFO.
type basicInfo struct {
	creation, access, write, change windows.Filetime
	attributes                      uint32
	_                               uint32 // the size of the system's own is a multiple of 8
}

func statByHandle(h windows.Handle, info fs.FileInfo) Stat {
	st := StatOf(info)
	var id windows.ByHandleFileInformation
	var basic basicInfo
	err := windows.GetFileInformationByHandle(h, &id)
	if err == nil {
		err = windows.GetFileInformationByHandleEx(h, windows.FileBasicInfo,
			(*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic))) //nolint:gosec // as the call wants it
	}
	if err != nil {
		return st
	}
	st.Size = int64(id.FileSizeHigh)<<32 | int64(id.FileSizeLow)
	st.Mtime, st.Ctime = basic.write.Nanoseconds(), basic.change.Nanoseconds()
	st.Inode = uint64(id.FileIndexHigh)<<32 | uint64(id.FileIndexLow)
	st.Device, st.Links = uint64(id.VolumeSerialNumber), uint64(id.NumberOfLinks)
	return st
}
