package sanitize_test

import (
	"strings"

	"pgregory.net/rapid"
)

// hostile are pieces of HTML with which sanitisers were deceived.
var hostile = []string{
	// Elements that run or load something, in every spelling.
	`<script>alert(1)</script>`, `<ScRiPt/x>alert(1)</sCrIpT >`, `<script/>alert(1)</script>`, `<script><!--<script></script>--></script>x`,
	`<script`, `<script>`, `</script>`, `<scr<script>ipt>alert(1)</scr</script>ipt>`, "<scr\x00ipt>alert(1)</scr\x00ipt>", `<ſcript>alert(1)</ſcript>`,
	`<img src=x onerror=alert(1)>`, `<img/src=x/onerror=alert(1)>`, "<img\fsrc=x\fonerror=alert(1)>", `<svg onload=alert(1)>`, `<body onload=alert(1)>`,
	`<iframe src="javascript:alert(1)"></iframe>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<object data=x><embed src=x></object>`, `<base href=//evil.example>`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, `<link rel=stylesheet href=x>`, `<form action=x><input name=a><button formaction=x>`, `<frame><frameset>`,
	// Addresses that are scripts, or only seem to stay here.
	`<a href="javascript:alert(1)">x</a>`, `<a href=" JaVaScRiPt:alert(1)">x</a>`, "<a href=\"java\tscript:alert(1)\">x</a>", "<a href=\"java\nscript:alert(1)\">x</a>",
	"<a href=\"\x01javascript:alert(1)\">x</a>", "<a href=\"java\x00script:alert(1)\">x</a>", `<a href="javascript&colon;alert(1)">x</a>`, `<a href="&#106;avascript&#x3A;alert(1)">x</a>`,
	`<a href="java&Tab;script&#58alert(1)">x</a>`, `<a href="java&NewLine;script:alert(1)">x</a>`, `<a href="&#1;javascript:alert(1)">x</a>`, `<a href=javascript:alert(1)>x</a>`,
	`<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>`, `<a href="vbscript:x">x</a>`, `<a href="view-source:javascript:x">x</a>`, `<a href="feed:javascript:x">x</a>`,
	`<a href="//evil.example/x">x</a>`, `<a href="///evil.example">x</a>`, `<a href="/\evil.example">x</a>`, `<a href="\\evil.example">x</a>`, `<a href="https:evil.example">x</a>`, `<a href="http:///evil.example">x</a>`,
	`<a href="https://good.example@evil.example/?a=1&b=<>&quot;#'x">x</a>`, `<a href="mailto:a@b.example?subject=x">x</a>`, `<a href="#x y">x</a>`, `<a href="a:b">x</a>`, `<a href="./a:b">x</a>`, `<a href="%">x</a>`, `<a href="%2F%2Fevil.example/é">x</a>`, "<a href='%2F%2F\xbd)'>x</a>", `<a href="">x</a>`,
	`<a href="x" rel="opener" target=_blank>x</a>`, `<a href="https://x.example" rel="nofollow">x</a>`, `<img src="https://x.example/ü?ü#ü" alt="<>">`, `<img src="javascript:x"><q cite="javascript:x">`,
	// Attributes.
	`<a href=x href="javascript:alert(1)">x</a>`, `<a HREF="javascript:x" href=y>x</a>`, `<p title=x title=y TITLE=z>`, `<p title="<script>alert(1)</script>">x</p>`, `<p title='"><img src=x onerror=alert(1)>'>`,
	"<p title=`x` onclick=alert(1)>", `<p title=x"onclick="alert(1)>`, `<p ="onclick=alert(1)>`, `<p title=a&lt;b&amp;amp;c&quot;d>`, `<p title="x`, `<p title=>x`, `<p / title=x / >`, `<p title=a/>`, `<p <b title=x>`,
	"<p title='a\r\nb\rc&#13;d\x00e'>", "<p\x00title=x tit\x00le=y>", "<p title=\"\xff\xc0\xaf\">\xff\xfe\xc3", `<td colspan=2 rowspan="2 " align=LEFT><th align=left colspan=0>`, `<ol start=-1><ol start=3>`, `<details open><details open=x>`,
	// Elements in which HTML reads no tags, or other ones.
	`<title><img src=x onerror=alert(1)></title>`, `</title><script>alert(1)</script>`, `<textarea><img src=x></textarea><b>x`, `</textarea><script>alert(1)</script>`, `<textarea/>&lt;b></textarea>`,
	`<xmp><img src=x onerror=alert(1)>&lt;</xmp>`, `<plaintext><b>x</plaintext></b>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<noscript>please &lt;turn on JavaScript</noscript>x`, `<noembed>&amp;"'</noembed>`,
	`<iframe><b>x</b>&amp;</iframe>`, `<iframe/>x<b>`, `<noframes><style></noframes><img src=x onerror=alert(1)></style>`, `<style><img src="</style><img src=x onerror=alert(1)//">`, `<style>@import "x"`, `<style/><b>x</style>`,
	`<svg><style><img src=x onerror=alert(1)></style></svg>`, `<svg><title><img src=x></title></svg>`, `<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`, `<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
	`<math><annotation-xml encoding="text/html"><style><img src=x></style></annotation-xml></math>`, `<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`, `<svg><a xlink:href="javascript:x"><text>x</text></a></svg>`,
	`<template><script>alert(1)</script><b>x</template>`, `<select><option><iframe></select><b>x`, `<table><td><p><table></table><b>x</table>`, `<svg><![CDATA[<img src=x onerror=alert(1)>]]></svg>`,
	// Comments, declarations, and what is taken for them.
	`<!-- <b> --><b>x</b>`, `<!--><img src=x onerror=alert(1)>-->`, `<!--->x-->`, `<!--a--!><b>x`, `<!-`, `<!--`, `<!DOCTYPE html [<!ENTITY x "<script>">]>`, `<![CDATA[<b>x</b>]]>`, `<!doctype><b>`,
	`<!--[if gte IE 4]><script>alert(1)</script><![endif]-->`, `<![if !IE]><b>x</b><![endif]>`, `<?xml version="1.0"?><b>x`, `<?php echo "<b>" ?>`, `<%= "<b>" %>`, `</ b>`, `</>`, `</b x=y/>`, `<!x>`, `< b>`, `<3`, `<`, `<a`, `</a`, `&`, `&lt`, `&lt;b&gt;`, `&#0;&#xD800;&#128;`, `&notit;&not;`,
	// Open, closed twice, and crossed.
	`<b><i>x</b></i>`, `<p><p><p>`, `</p></p></br>`, `<a>x</a>`, `<a><a href=x>y</a></a>`, `<a><input></a>`, `<input type=checkbox checked><input type=password>`, `<object><b>x`, `</object><object>x</object>y`, `<object><object>x</object>y</object>z`, `<frame>x`,
	"<pre>\n\n x\r\ny\rz&#13;</pre>", "a\x00b\x1bc\u202ed\ufeff", `<b/><br/><hr/ ><li/>x`, `<div><span><font><x-y><o:p>x</o:p></x-y>`, strings.Repeat(`<div><b><a href=x>`, 40),
}

// soup are random texts of such pieces, their parts, and tags.
var soup = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	names := []string{"p", "b", "a", "li", "ol", "table", "tr", "td", "h2", "br", "div", "img", "input", "title", "textarea", "object", "iframe", "noscript",
		"style", "script", "svg", "math", "template", "select", "xmp", "frame", "details", "A", "Script", "x-b"}
	attributes := []string{"href", "src", "title", "id", "class", "rel", "open", "start", "colspan", "type", "checked", "onclick", "style", "HREF", "h\x00ref", "cite"}
	for range rapid.IntRange(1, 12).Draw(t, "pieces") {
		switch rapid.IntRange(0, 4).Draw(t, "piece") {
		case 0:
			b.WriteString(rapid.SampledFrom(hostile).Draw(t, "hostile"))
		case 1:
			piece := rapid.SampledFrom(hostile).Draw(t, "hostile")
			b.WriteString(piece[:rapid.IntRange(0, len(piece)).Draw(t, "cut")])
		case 2:
			b.WriteString(rapid.SampledFrom([]string{"</%>", "<%>", "<%/>", "<% ", "</% "}).Draw(t, "tag"))
		case 3:
			b.WriteString("<% " + rapid.SampledFrom(attributes).Draw(t, "attribute") + rapid.SampledFrom([]string{"", "=", `="`, `='`}).Draw(t, "quote"))
			b.WriteString(rapid.StringOfN(rapid.SampledFrom([]rune("javascript:&#;Tabcolon \\/()<>[]%01x\t\n\x00\"'=?@h-")), 0, 24, -1).Draw(t, "value"))
			b.WriteString(rapid.SampledFrom([]string{"", `"`, "'", ">", `">`, "'>", "/>"}).Draw(t, "end"))
		default:
			b.WriteString(rapid.StringOfN(rapid.SampledFrom([]rune("<>/!-[]&;#\"'= \n\r\x00aXé\ufffd")), 0, 12, -1).Draw(t, "text"))
		}
	}
	return strings.ReplaceAll(b.String(), "%", rapid.SampledFrom(names).Draw(t, "element"))
})
