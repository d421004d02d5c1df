package db

import (
	"errors"
	"fmt"
	"sync"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// memoryCounted makes SQLite count the memory that it takes, without which it
// bounds none. It can only be told so before the first database is opened, and so
// while the program starts; the driver leaves it off.
var memoryCounted = func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	const on, argument = int32(1), 8 // bytes
	list := libc.Xmalloc(tls, argument)
	if list == 0 {
		return errors.New("count SQLite's memory: out of memory")
	}
	defer libc.Xfree(tls, list)
	code := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, libc.VaList(list, on))
	if code != sqlite3.SQLITE_OK {
		return fmt.Errorf("count SQLite's memory: SQLite's error %d", code)
	}
	return nil
}()

// boundQueries are those that run under a bound of their memory. SQLite knows one
// bound for the whole process.
var boundQueries struct {
	sync.Mutex
	running int
}

// boundMemory bounds the memory of SQLite, as long as such queries run, to what it
// has now and rawMemory.
func boundMemory() error {
	if memoryCounted != nil {
		return memoryCounted
	}
	boundQueries.Lock()
	defer boundQueries.Unlock()
	if boundQueries.running++; boundQueries.running == 1 {
		setHeapLimit(func(used int64) int64 { return used + rawMemory })
	}
	return nil
}

// unboundMemory ends what boundMemory began.
func unboundMemory() {
	boundQueries.Lock()
	defer boundQueries.Unlock()
	if boundQueries.running--; boundQueries.running == 0 {
		setHeapLimit(func(int64) int64 { return 0 }) // none
	}
}

func setHeapLimit(limit func(used int64) int64) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_hard_heap_limit64(tls, limit(sqlite3.Xsqlite3_memory_used(tls)))
}
