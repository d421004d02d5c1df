package main

import "github.com/dustin/go-humanize"

// The program that these tools come from (Node 20), measured with another client
// on 2 cores and another day: its medians, in ms. It was not measured with
// 100,000 documents; its figures for 50,000 stand there.
var (
	thereSizes = []int{100, 1000, 10_000, 100_000}
	there      = map[string][]string{
		"start to initialize":         {"101", "117", "96", "147"},
		"start to first list":         {"150", "328", "2,663", "15,324"},
		"list, 20 rows":               {"9.0", "65", "706", "11,666"},
		"list open and high, 20 rows": {"7.7", "66", "773", "9,996"},
		"search, common word":         {"7.1", "187", "826", "16,042"},
		"search, rare word":           {"6.8", "101", "898", "12,448"},
		"get, first":                  {"4.3", "1.7", "19", "148"},
		"get, middle":                 {"3.8", "33", "120", "1,324"},
		"get, last":                   {"4.8", "19", "545", "4,201"},
		"get, unknown id":             {"6.4", "59", "1,411", "22,646"},
		"labels":                      {"6.2", "58", "774", "15,199"},
		"all_complete":                {"4.7", "46", "624", "3,973"},
		"update (with fsync)":         {"2.2 without", "5.6 without", "54 without", "291 without"},
		"create (with fsync)":         {"0.9 without", "3.2 without", "21 without", "117 without"},
		"peak memory of serve, MB":    {"120", "177", "385 to 451", "1,066 to 1,416"},
	}
)

// thereAt is the other system's figure for a line at a size, "" when there is none.
func thereAt(line string, documents int) string {
	figures, ok := there[line]
	if !ok {
		return ""
	}
	for i, size := range thereSizes {
		if size != documents {
			continue
		}
		if documents == 100_000 {
			return figures[i] + " at " + humanize.Comma(50_000)
		}
		return figures[i]
	}
	return ""
}
