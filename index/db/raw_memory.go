package db

import (
	"errors"
	"fmt"

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

// boundMemory bounds the memory of SQLite, in the whole process, to what it has now and rawMemory,
// until unbound is called. A command asks one query.
func boundMemory() (unbound func(), err error) {
	setHeapLimit(func(used int64) int64 { return used + rawMemory })
	return func() { setHeapLimit(func(int64) int64 { return 0 }) }, memoryCounted
}

func setHeapLimit(limit func(used int64) int64) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_hard_heap_limit64(tls, limit(sqlite3.Xsqlite3_memory_used(tls)))
}
