// Package spelling compares words, to name what somebody perhaps meant. It knows
// nothing of what the words are, nor of how near is near enough.
package spelling

// Distance is how many bytes must be inserted, deleted or replaced to make one
// word the other. Its time is the product of their lengths.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			if a[i] != b[j] {
				diagonal++
			}
			row[j+1] = min(diagonal, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}
