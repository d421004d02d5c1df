package store

import "testing"

// What the tests of packages above store need of its tests.
var (
	OpenFaulty  = openFaulty
	Never       = never
	Child       = child
	Kill        = kill
	WasKilled   = wasKilled
	List        = list
	Temporaries = temporaries
)

// AddTask adds a task for Child.
func AddTask(name string, run func(t *testing.T, args []string)) { tasks[name] = run }

// Operations is how many operations a disk has done.
func Operations(d *faultyDisk) int { return d.n }
