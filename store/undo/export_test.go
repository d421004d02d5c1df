package undo

import "issues-index/store"

// Die leaves an entry as the death of its program does.
func (r *Recording) Die() error { return r.close() }

// Change writes down a change that no mutation makes.
func (r *Recording) Change(ws *store.Workspace, c store.DocumentChange) { r.change(ws, c) }
