package passage

// Shown says in an answer where the text that it shows stands in all of it. Lines
// count from 1, chunks from 0. It is empty when the text is whole.
type Shown struct {
	Outline     []string `json:"outline,omitempty"`
	ChunkIndex  *int     `json:"chunkIndex,omitempty"`
	TotalChunks int      `json:"totalChunks,omitempty"`
	StartLine   int      `json:"startLine,omitempty"`
	EndLine     int      `json:"endLine,omitempty"`
	TotalLines  int      `json:"totalLines,omitempty"`
	NextCursor  string   `json:"nextCursor,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// ShownProperties are the members of Shown in the schema of an answer.
const ShownProperties = `"outline":{"type":"array","items":{"type":"string"}},"chunkIndex":{"type":"integer"},"totalChunks":{"type":"integer"}` +
	`,"startLine":{"type":"integer"},"endLine":{"type":"integer"},"totalLines":{"type":"integer"}` +
	`,"nextCursor":{"type":"string"},"note":{"type":"string"}`
