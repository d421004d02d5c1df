package cachedir

import (
	"os"

	"github.com/gofrs/flock"
)

// Lock returns the lock on the file at name, which is made when the lock is first
// taken. A link in its place is an error then.
func (d *Dir) Lock(name string) *flock.Flock {
	return flock.New(d.Join(name), flock.SetFlag(os.O_RDONLY|os.O_CREATE|NoFollow|NoBlock), flock.SetPermissions(d.filePerm()))
}
