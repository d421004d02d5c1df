package telemetry

import (
	"database/sql/driver"
	"slices"

	"modernc.org/sqlite"
)

// The function percentile(value, percent) of SQL returns the smallest value that so many percent
// of all do not exceed, NULL for no values. SQLite's window functions take fifteen times as long.
func init() {
	sqlite.MustRegisterFunction("percentile", &sqlite.FunctionImpl{
		NArgs: 2, Deterministic: true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &percentile{}, nil },
	})
}

// A percentile collects whole numbers.
type percentile struct {
	values  []int64
	percent int64
}

// Step implements sqlite.AggregateFunction.
func (p *percentile) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	if value, ok := args[0].(int64); ok {
		p.values = append(p.values, value)
	}
	p.percent, _ = args[1].(int64)
	return nil
}

// WindowValue implements sqlite.AggregateFunction.
func (p *percentile) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	if len(p.values) == 0 {
		return nil, nil
	}
	slices.Sort(p.values)
	return p.values[(int64(len(p.values))*p.percent+99)/100-1], nil
}

// WindowInverse implements sqlite.AggregateFunction; no query has a window.
func (*percentile) WindowInverse(*sqlite.FunctionContext, []driver.Value) error { return nil }

// Final implements sqlite.AggregateFunction.
func (*percentile) Final(*sqlite.FunctionContext) {}
