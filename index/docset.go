package index

// A docSet is a set of documents, one bit for each number: of thousands, a map
// would take longer to make than they take to find.
type docSet []uint64

// setOf returns the set of these documents.
func setOf(docs []int64) docSet {
	var highest int64
	for _, doc := range docs {
		highest = max(highest, doc)
	}
	set := make(docSet, highest/64+1)
	for _, doc := range docs {
		set[doc/64] |= 1 << (doc % 64)
	}
	return set
}

// has reports whether the document is in the set.
func (s docSet) has(doc int64) bool {
	return doc/64 < int64(len(s)) && s[doc/64]&(1<<(doc%64)) != 0
}
