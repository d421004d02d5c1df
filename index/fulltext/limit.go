package fulltext

import "strings"

// MaxWords is how many different words of one document the index takes. A long
// book has fewer, a dump of random numbers has a million, and each of them costs
// time, memory and room for as long as the index lives.
const MaxWords = 50_000

// Omitted is the token that stands for the words that LimitWords left out. No
// text has it: it is a separator.
const Omitted = "…"

// LimitWords takes what Feed made of the fields of one document. If they have more
// than MaxWords different words, it keeps the first of them and puts one Omitted in
// place of each run of others, and limited is true; the words that are left are
// MaxWords, Omitted among them. The result depends on nothing but the document, so
// that it is the same in whatever order documents come.
func LimitWords(fields ...string) (fed []string, limited bool) {
	if !moreWords(fields, MaxWords) {
		return fields, false
	}
	fed = make([]string, len(fields))
	known := make(map[string]bool, MaxWords)
	for i, field := range fields {
		fed[i] = limitField(field, known)
	}
	return fed, true
}

// moreWords reports whether the fields have more different words than most.
func moreWords(fields []string, most int) bool {
	length := 0
	for _, field := range fields {
		length += len(field) + 1
	}
	if length <= 2*most { // each word has a byte, and a space behind it
		return false
	}
	known := make(map[string]bool, most)
	for _, field := range fields {
		for word := range strings.FieldsSeq(field) {
			if known[word] = true; len(known) > most {
				return true
			}
		}
	}
	return false
}

// limitField limits one field; known are the words that are kept so far.
func limitField(field string, known map[string]bool) string {
	var kept strings.Builder
	inRun := false // the word before was left out
	for word := range strings.FieldsSeq(field) {
		if !known[word] {
			if len(known) == MaxWords-1 {
				if inRun {
					continue
				}
				word = Omitted
			} else {
				known[word] = true
			}
		}
		inRun = word == Omitted
		if kept.Len() > 0 {
			kept.WriteByte(' ')
		}
		kept.WriteString(word)
	}
	return kept.String()
}

// Limited is the plan for the documents that LimitWords left words out of. The
// index cannot tell whether these match a query: their texts can.
func Limited() Plan { return Plan{Expr: quote([]byte(Omitted), false)} }
