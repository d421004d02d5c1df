package index

import (
	"database/sql/driver"
	"fmt"
	"sync"

	"issues-index/index/fulltext"
	"issues-index/index/where"

	"modernc.org/sqlite"
)

// registerFold makes fulltext.Fold known, as where.FoldFunction, to the connections
// that are opened from then on.
var registerFold = sync.OnceValue(func() error {
	return sqlite.RegisterFunction(where.FoldFunction, &sqlite.FunctionImpl{
		NArgs:         1,
		Deterministic: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, ok := args[0].(string)
			if !ok {
				return nil, fmt.Errorf("%s takes a text, not %T", where.FoldFunction, args[0])
			}
			return fulltext.Fold(text), nil
		},
	})
})
