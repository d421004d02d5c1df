package storetest

import (
	"strconv"
	"strings"
)

// MarkdownBombs are texts of about a size, in bytes, that take programs long: constructs that
// are nested deep, begun and not ended, or repeated.
func MarkdownBombs(size int) map[string]string {
	rep := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	half := func(unit string) string { return strings.Repeat(unit, size/2/len(unit)) }
	numbered := func(unit string) string {
		var b strings.Builder
		for i := 0; b.Len() < size/2; i++ {
			b.WriteString(unit + strconv.Itoa(i) + "\n")
		}
		return b.String()
	}
	ticks := func() string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			b.WriteString(strings.Repeat("`", i) + "a")
		}
		return b.String()
	}
	deep := strings.Repeat("> ", 32) + "a\n"
	all := map[string]string{
		"a definition with a long address": "[a]: " + half("x") + "\n\n" + half("[a]\n\n"),
		"a definition with a long title":   "[a]: b '" + half("x") + "'\n\n" + half("[a]\n\n"),
		"a definition of a long path":      "[a]: " + half("x") + ".md\n\n" + half("[a]\n\n"),
		"definitions with open titles":     rep("[a]: b\n'"),
		"numbered headings, and one text":  numbered("# a-") + half("# a\n"),
		"links before a long word":         strings.Repeat("[a](", size/256) + rep("x"),
		"labels before a long word":        strings.Repeat("[a][", size/256) + rep("x"),
		"runs of backticks":                ticks(),
		"deep quotes with lazy lines":      deep + rep("a\n"),
		"deep quotes":                      rep(deep + "\n"),
		"deep lists":                       rep(strings.Repeat("- ", 32) + "a\n\n"),
		"brackets in brackets":             half("[") + "a" + half("]"),
		"links in links":                   half("[") + "a" + half("](b)"),
		"images in images":                 "[a]: b\n\n" + half("![") + "a" + half("][a]"),
		"emphasis in emphasis":             half("*a **a ") + half("b** b*"),
		"a run of stars":                   half("*") + "a" + half("*"),
		"a wide table":                     half("|a") + "|\n" + half("|-") + "|\n|\n|\n",
		"a long table":                     "|a|b|c|\n|-|-|-|\n" + rep("|*a*|[b](c)|`d`|\n"),
		"an element in another":            half("<details>") + half("</details>"),
		"an element with attributes":       "<a " + rep("x='y' ") + ">",
	}
	for _, unit := range []string{
		"# h\n", "#\n", "# \\\n", "# *a_\n", "h\n=\n", "a\n# ", "[a](", "[](", "![a](", "](", "[a]: b\n", "[a][", "\n\n[", "*a_", "**a ", "~a ~~b ", "`", "<", "<a b='", "a <!--", "a <?", "a <![CDATA[",
		"<b><i>", "<details>", "<div>\n", "<li>", "<input type=checkbox checked>", "&amp;&#1;", "&", "|", "|a\n|-\n\n", "> ", ">\n", "1. a\n", "- a\n\n", "- [ ] a\n", "- ```\n", "-\ta\n", "a\\\n", "```\n", "---\n",
		"http://a.b/ ", "http://a.b/(", "www.", "a@b.", "ISS-000001 ", "[[a]]", "[b](c.md) ", "[^a]", "[^a]: b\n", " ", "\t", "\n", "é",
	} {
		all["many of "+strconv.Quote(unit)] = rep(unit)
	}
	return all
}
