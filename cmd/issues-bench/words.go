package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// plain are the words that documents are mostly made of, the most frequent
// ones first. What comes first is in nearly every document.
var plain = strings.Fields(`
the a to of and is in for it we that on with be as this are not by or when should an can from if at
must has will so one all each which no only file issue test server error tool document name value
field path list index search query config cache schema update create status type read write call result
handler session request response token key user client module package build run check parser format
option default version change review merge branch commit task plan step phase rule label folder archive
content title text line page table row column record store engine watcher worker queue lock timeout retry
limit budget answer message header body stream buffer memory thread process signal event log trace metric
sample report chart total count filter sort order cursor window range offset batch chunk part section
outline heading link image source target parent child tree node graph edge depth level state flag mode
policy scope access secret owner team agent workflow pipeline stage job runner release deploy rollback
migration backup restore snapshot journal checkpoint transaction isolation conflict duplicate missing broken
stale fresh early late slow fast small large empty full public private local remote manual automatic
simple complex strict loose exact partial first last next previous current former between across within
before after while until because although however instead besides therefore already always never often
sometimes again still then there here where what who why how much many few some any every other same
different new old good bad better worse best worst need want use add remove keep drop move copy rename open
close start stop begin end send receive accept refuse allow forbid require expect assert prove measure
compare explain describe document support replace extend reduce improve repair prevent detect recover
`)

// Parts of made-up identifiers.
var (
	verbs = strings.Fields("get set load save parse make find open read write sync emit apply merge scan wrap fetch drop")
	nouns = words(plain, func(w string) bool { return len(w) > 4 })
)

const vocabularySize = 24_000

// vocabulary has the words by their frequency: the plain ones, then a long tail
// of identifiers, compounds, file names and nonsense. It is the same in every
// corpus.
var vocabulary = makeVocabulary()

func makeVocabulary() []string {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // nothing secret: the same words every time
	seen := map[string]bool{}
	all := words(plain, func(w string) bool {
		first := !seen[w]
		seen[w] = true
		return first
	})
	for len(all) < vocabularySize {
		if w := rareWord(r); !seen[w] {
			seen[w] = true
			all = append(all, w)
		}
	}
	return all
}

func words(from []string, fit func(string) bool) []string {
	var fitting []string
	for _, w := range from {
		if fit(w) {
			fitting = append(fitting, w)
		}
	}
	return fitting
}

func rareWord(r *rand.Rand) string {
	switch n := r.IntN(20); {
	case n < 7:
		return pick(r, verbs) + capital(pick(r, nouns)) + strings.Repeat(capital(pick(r, nouns)), r.IntN(2))
	case n < 11:
		return pick(r, nouns) + "_" + pick(r, nouns)
	case n < 15:
		return pick(r, nouns) + "-" + pick(r, nouns)
	case n < 17:
		return pick(r, nouns) + pick(r, []string{"s", "ed", "ing", "able", "less", "ness"})
	case n < 18:
		return pick(r, nouns) + pick(r, []string{".go", ".ts", ".md", ".json", ".yaml", ".sh"})
	default:
		var nonsense strings.Builder
		for range 2 + r.IntN(3) {
			nonsense.WriteString(pick(r, []string{"ba", "do", "fi", "gu", "ke", "lo", "mi", "nu", "pa", "ro", "se", "ti", "vu"}))
		}
		return nonsense.String()
	}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func capital(word string) string {
	return strings.ToUpper(word[:1]) + word[1:]
}

// A zipf picks from a list whose n-th entry is about 1/n as frequent as the first.
type zipf struct{ sums []float64 }

// newZipf: the larger the offset, the nearer to each other are the first entries.
func newZipf(n int, offset, exponent float64) zipf {
	z := zipf{make([]float64, n)}
	sum := 0.0
	for i := range z.sums {
		sum += 1 / math.Pow(float64(i)+offset, exponent)
		z.sums[i] = sum
	}
	return z
}

func (z zipf) pick(r *rand.Rand) int {
	i, _ := slices.BinarySearch(z.sums, r.Float64()*z.sums[len(z.sums)-1])
	return min(i, len(z.sums)-1)
}
