package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	wordZipf  = newZipf(vocabularySize, 2.7, 1.1)
	languages = []string{"go", "ts", "bash", "json", "yaml", ""}
	sections  = []string{
		"Background", "Goals", "Requirements", "Acceptance", "Design", "Notes", "Tests", "Risks", "Questions", "Files", "Tasks", "Not in scope",
	}
	// cjk are sentences of scripts written without spaces: 検索 is in the first
	// only as a part of longer runs.
	cjk = []string{
		"全文検索機能の結果が正しく並ばない。", "設定を読み直した後の動作を確認する。", "性能测试的结果需要重新检查。",
		"多个进程同时写入时的数据一致性", "오류가 난 뒤에 다시 시작한다.", "索引の作り直しに時間がかかる。", "数据库迁移需要回滚步骤",
	}
)

func word(r *rand.Rand) string { return vocabulary[wordZipf.pick(r)] }

func phraseOf(r *rand.Rand, n int) string {
	picked := make([]string, n)
	for i := range picked {
		picked[i] = word(r)
	}
	return strings.Join(picked, " ")
}

func sentence(r *rand.Rand) string {
	picked := strings.Fields(phraseOf(r, min(28, max(4, int(13+5*r.NormFloat64())))))
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

// lines are sentences behind marks: a list, a quotation.
func lines(r *rand.Rand, least, most int, mark func(i int) string) string {
	all := make([]string, least+r.IntN(most-least+1))
	for i := range all {
		all[i] = mark(i) + sentence(r)
	}
	return strings.Join(all, "\n")
}

// block is one block of Markdown.
func block(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 42:
		return strings.ReplaceAll(lines(r, 1, 5, func(int) string { return "" }), "\n", " ")
	case n < 62:
		return lines(r, 2, 7, func(int) string { return "- " })
	case n < 74:
		return lines(r, 2, 8, func(int) string { return pick(r, []string{"- [ ] ", "- [ ] ", "- [x] "}) })
	case n < 82:
		return lines(r, 2, 6, func(i int) string { return fmt.Sprintf("%d. ", i+1) })
	case n < 93:
		return code(r)
	case n < 96:
		return grid(r)
	case n < 98:
		return "> " + sentence(r)
	default:
		return pick(r, cjk) + " " + sentence(r)
	}
}

func code(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("```" + pick(r, languages) + "\n")
	for range 3 + r.IntN(12) {
		b.WriteString(strings.Repeat("  ", r.IntN(4)))
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "%s := %s(%s, %s)\n", word(r), word(r), word(r), word(r))
		case 1:
			fmt.Fprintf(&b, "if %s != nil { return %s }\n", word(r), word(r))
		case 2:
			fmt.Fprintf(&b, "\"%s\": \"%s\",\n", word(r), word(r))
		default:
			fmt.Fprintf(&b, "# %s\n", phraseOf(r, 3))
		}
	}
	b.WriteString("```")
	return b.String()
}

func grid(r *rand.Rand) string {
	row := func() string { return "| " + strings.Join(strings.Fields(phraseOf(r, 3)), " | ") + " |\n" }
	var b strings.Builder
	b.WriteString(row() + "|---|---|---|\n")
	for range 2 + r.IntN(5) {
		b.WriteString(row())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// body is Markdown of about so many bytes, as blocks.
func body(r *rand.Rand, size int) []string {
	var blocks []string
	for n := 0; n < size; {
		b := block(r)
		if len(blocks)%3 == 0 {
			b = "## " + pick(r, sections) + "\n\n" + b
		}
		blocks = append(blocks, b)
		n += len(b) + len("\n\n")
	}
	return blocks
}
