package watch

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"issues-index/store"
)

// remote are the filesystems on which others' changes cause no events here.
var remote = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.V9FS_MAGIC: "9P", unix.FUSE_SUPER_MAGIC: "FUSE", unix.CEPH_SUPER_MAGIC: "Ceph", unix.AFS_SUPER_MAGIC: "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
}

// Supported reports why the workspace's changes cannot all be watched, nil when
// they can.
func Supported(ws *store.Workspace) error {
	for _, dir := range chains(ws) {
		var fs unix.Statfs_t
		err := unix.Statfs(filepath.Join(ws.Root, filepath.FromSlash(dir)), &fs)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look at the filesystem: %w", err)
		}
		if name, ok := remote[int64(fs.Type)]; ok { //nolint:unconvert // its type differs between architectures
			return fmt.Errorf("the workspace lies on a network filesystem (%s)", name)
		}
	}
	return nil
}
