package storetest

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // its flags are there before checksFlag is set
)

// A property is drawn so many times, and with -long so many.
const (
	checksFlag = "rapid.checks"
	fewChecks  = "25"
	allChecks  = "100"
)

// long is set by the flag -long, which every package has that imports this one.
var long bool

func init() {
	if err := flag.Set(checksFlag, fewChecks); err != nil {
		panic(err)
	}
	flag.BoolFunc("long", "run the tests at full size (minutes, and some an hour)", func(value string) (err error) {
		long, err = strconv.ParseBool(value)
		if long && flag.Lookup(checksFlag).Value.String() == fewChecks {
			err = flag.Set(checksFlag, allChecks)
		}
		return err
	})
}

// Long reports whether tests run at their full size, of minutes. By default they are small enough
// to be run after each change.
func Long() bool { return long }

// Checks has rapid draw a property usual times until the test ends, and atLength times with -long.
func Checks(t testing.TB, usual, atLength int) {
	t.Helper()
	if long {
		usual = atLength
	}
	before := flag.Lookup(checksFlag).Value.String()
	set := func(checks string) {
		if err := flag.Set(checksFlag, checks); err != nil {
			t.Fatal(err)
		}
	}
	set(strconv.Itoa(usual))
	t.Cleanup(func() { set(before) })
}

// Few returns n of all, others in each run, and all of them with -long.
func Few[K comparable, V any](all map[K]V, n int) map[K]V {
	if long || n >= len(all) {
		return all
	}
	few := map[K]V{}
	for key, value := range all { // in an order of the run's own
		if len(few) == n {
			break
		}
		few[key] = value
	}
	return few
}

// FewOf returns n neighbours of all, others in each run, and all of them with -long.
func FewOf[T any](all []T, n int) []T {
	if long || n >= len(all) {
		return all
	}
	from := rand.IntN(len(all) - n + 1)
	return all[from : from+n]
}
