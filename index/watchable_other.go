//go:build !linux

package index

import (
	"errors"

	"issues-index/store"
)

// errWatchUnordered is for systems whose events of different folders come in no
// known order, so that no mark can prove anything.
var errWatchUnordered = errors.New("this system reports changes in no known order")

func watchable(*store.Workspace) error { return errWatchUnordered }
