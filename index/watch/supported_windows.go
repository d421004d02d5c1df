package watch

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"

	"issues-index/store"
)

// Supported reports why the workspace's changes cannot all be watched, nil when they can.
func Supported(ws *store.Workspace) error {
	drive, err := windows.UTF16PtrFromString(filepath.VolumeName(ws.Root) + `\`)
	if err != nil {
		return &UnprovenError{err}
	}
	switch windows.GetDriveType(drive) {
	case windows.DRIVE_FIXED, windows.DRIVE_REMOVABLE, windows.DRIVE_RAMDISK:
		return nil
	}
	return &UnprovenError{fmt.Errorf("the workspace is on a network drive (%s)", filepath.VolumeName(ws.Root))}
}
