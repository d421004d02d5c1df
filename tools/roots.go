package tools

import "context"

type rootsKey struct{}

// WithRoots returns a context whose calls know the folders that the client has open: roots
// returns their absolute paths, nil for a client that offers none.
func WithRoots(ctx context.Context, roots func(context.Context) []string) context.Context {
	return context.WithValue(ctx, rootsKey{}, roots)
}

// rootsOf returns the folders that the client has open, nil when it offers none.
func rootsOf(ctx context.Context) []string {
	roots, _ := ctx.Value(rootsKey{}).(func(context.Context) []string)
	if roots == nil {
		return nil
	}
	return roots(ctx)
}
