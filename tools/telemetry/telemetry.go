// Package telemetry keeps account of the calls that a server answers: in an
// SQLite file of its own on this machine, which never leaves it.
//
// It knows nothing of MCP, of documents or of how an answer is made. Its
// invariants:
//
//   - recording neither waits nor fails: what the file cannot take is counted,
//     and forgotten;
//   - no argument and no text of a document is kept;
//   - the file is bounded by age and by size, and several processes may write
//     to it;
//   - a question is answered from roll-ups, not from the calls one by one.
package telemetry
