package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// commonWords begin the vocabulary, the most frequent first. The first of them are in
// nearly every document.
var commonWords = strings.Fields(`
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
simple complex strict loose exact partial last next previous current former between across within
before after while until because although however instead besides therefore already always never often
sometimes again still then there here where what who why how much many few some any every other same
different new old good bad better worse best worst need want use add remove keep drop move copy rename open
close start stop begin end send receive accept refuse allow forbid require expect assert prove measure
compare explain describe support replace extend reduce improve repair prevent detect recover
`)

// cjkSentences are in scripts without spaces between words. 検索 is in the first only
// inside a longer run.
var cjkSentences = []string{
	"全文検索機能の結果が正しく並ばない。", "設定を読み直した後の動作を確認する。", "性能测试的结果需要重新检查。",
	"多个进程同时写入时的数据一致性", "오류가 난 뒤에 다시 시작한다.", "索引の作り直しに時間がかかる。", "数据库迁移需要回滚步骤",
}

const vocabularySize = 24_000

// vocabulary has the common words and a long tail of identifiers, compounds and file
// names. It is the same in every corpus.
var (
	vocabulary    = makeVocabulary()
	wordFrequency = newZipf(vocabularySize, 2.7, 1.1)
	codeLanguages = []string{"go", "ts", "bash", "json", "yaml", ""}
	sectionTitles = strings.Fields(
		"Background Goals Requirements Acceptance Design Notes Tests Risks Questions Files Tasks")
	identifierVerb = strings.Fields(
		"get set load save parse make find open read write sync emit apply merge scan wrap fetch drop")
)

func makeVocabulary() []string {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same words every time
	all := slices.Clone(commonWords)
	known := map[string]bool{}
	for _, w := range all {
		known[w] = true
	}
	nouns := slices.DeleteFunc(slices.Clone(commonWords), func(w string) bool { return len(w) <= 4 })
	for len(all) < vocabularySize {
		w := pick(r, nouns)
		switch n := r.IntN(20); {
		case n < 8:
			w = pick(r, identifierVerb) + capital(w) + capital(pick(r, nouns))
		case n < 12:
			w += "_" + pick(r, nouns)
		case n < 16:
			w += "-" + pick(r, nouns)
		case n < 18:
			w += pick(r, strings.Fields("s ed ing able less ness"))
		default:
			w += "-" + pick(r, nouns) + pick(r, strings.Fields(".go .ts .md .json .yaml .sh"))
		}
		if !known[w] {
			known[w] = true
			all = append(all, w)
		}
	}
	return all
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// A zipf picks from a list whose n-th entry is about 1/n as frequent as the first.
type zipf struct{ sums []float64 }

// newZipf makes a zipf of n entries. A larger offset brings the first entries nearer to
// each other.
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

func randomWords(r *rand.Rand, n int) []string {
	picked := make([]string, n)
	for i := range picked {
		picked[i] = vocabulary[wordFrequency.pick(r)]
	}
	return picked
}

func randomSentence(r *rand.Rand) string {
	picked := randomWords(r, min(28, max(4, int(13+5*r.NormFloat64()))))
	picked[0] = capital(picked[0])
	i := 1 + r.IntN(len(picked)-1)
	switch r.IntN(10) {
	case 0:
		picked[i] = "`" + picked[i] + "`"
	case 1:
		picked[i] = "**" + picked[i] + "**"
	case 2:
		picked[i-1] += ","
	}
	return strings.Join(picked, " ") + "."
}

// sentences returns up to most sentences, each after a mark.
func sentences(r *rand.Rand, most int, mark, separator string) string {
	all := make([]string, 1+r.IntN(most))
	for i := range all {
		all[i] = mark + randomSentence(r)
	}
	return strings.Join(all, separator)
}

// markdownBlock returns one paragraph, list, code block, table or quotation.
func markdownBlock(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 42:
		return sentences(r, 5, "", " ")
	case n < 62:
		return sentences(r, 7, "- ", "\n")
	case n < 74:
		return sentences(r, 8, pick(r, []string{"- [ ] ", "- [x] "}), "\n")
	case n < 82:
		return sentences(r, 6, "1. ", "\n")
	case n < 93:
		code := "```" + pick(r, codeLanguages) + "\n"
		for range 3 + r.IntN(12) {
			w := randomWords(r, 4)
			code += strings.Repeat("  ", r.IntN(4)) + fmt.Sprintf("%s := %s(%s, %q)\n", w[0], w[1], w[2], w[3])
		}
		return code + "```"
	case n < 96:
		table := "| " + strings.Join(randomWords(r, 3), " | ") + " |\n|---|---|---|"
		for range 2 + r.IntN(5) {
			table += "\n| " + strings.Join(randomWords(r, 3), " | ") + " |"
		}
		return table
	case n < 98:
		return "> " + randomSentence(r)
	default:
		return pick(r, cjkSentences) + " " + randomSentence(r)
	}
}

// markdownBody returns blocks of together about size bytes.
func markdownBody(r *rand.Rand, size int) (blocks []string) {
	for n := 0; n < size; {
		b := markdownBlock(r)
		if len(blocks)%3 == 0 {
			b = "## " + pick(r, sectionTitles) + "\n\n" + b
		}
		blocks = append(blocks, b)
		n += len(b) + len("\n\n")
	}
	return blocks
}
