package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// sameAs has words that other trackers and people use for a status, a priority or a type,
// behind the values that they certainly mean, the first of which that is allowed counts: they
// are taken for it. The words are folded by Fold.
var sameAs = meanings(`
closed complete completed: done complete resolved fixed finished completed close merged closed
cancelled: wontfix won'tfix wontdo canceled abandoned
open: todo new backlog notstarted reopened reopen
in_progress started: doing wip started active working ongoing inprogress
critical: urgent blocker highest
high: major important
medium: normal moderate med
low: minor trivial lowest
issue: issues
specification: spec specs specifications
idea: ideas
`)

// meantFor has words that probably mean a value, which an error suggests. They are not
// taken for it: a bug is only one kind of issue, and P1 comes first in one tracker and
// second in another.
var meantFor = meanings(`
closed: archived
cancelled: rejected invalid duplicate obsolete dropped
open: pending ready unresolved
in_progress started: inreview review running
critical: p0 severe emergency
high: p1
medium: p2 default
low: p3 p4
issue: bug task ticket story feature defect
idea: proposal
status: state
label: labels
label labels: tag tags
assignee: owner
description: body content text
dates: created updated
created dates: createdat date
updated dates: updatedat
relevance: score best
asc: ascending
desc: descending
minimal summary: brief
minimal: compact short
full: detailed details
failed: failure
completed complete: success
started: begin start
complete: end
check: tick
uncheck: untick
append: add insertatend addtoend
replace: strreplace replacetext findreplace findandreplace searchreplace replacestring
prepend: insertatstart insertatbeginning addtostart
append_section: appendtosection addtosection
insert_before: insertbeforesection
insert_after: insertaftersection
remove: delete unset
add set: create
set: update
get list: read show
`)

// meanings reads rows of values, a colon, and the words that mean one of them.
func meanings(table string) func() map[string][]string {
	return sync.OnceValue(func() map[string][]string {
		all := map[string][]string{}
		for row := range strings.Lines(table) {
			values, words, _ := strings.Cut(row, ":")
			for _, word := range strings.Fields(words) {
				all[word] = strings.Fields(values)
			}
		}
		return all
	})
}

// A ValueSet is the values that something may have.
type ValueSet struct {
	Allowed []string
	// Instead has, for usual values that are not allowed, those that take their place: what
	// is understood as closed is understood as Done, where a workspace has that.
	Instead map[string]string
}

// Only returns values that take the place of no others.
func Only(allowed ...string) ValueSet { return ValueSet{Allowed: allowed} }

// Understood returns the allowed value that another word certainly stands for, "" when
// there is none.
func (v ValueSet) Understood(word string) string {
	usual, _ := Respell(word, slices.Collect(maps.Keys(v.Instead)))
	return cmp.Or(v.Instead[usual], v.meant(word, sameAs()))
}

// Synonym returns the allowed value that another word stands for in other trackers or in
// speech, certainly or not, "" when there is none.
func (v ValueSet) Synonym(word string) string {
	return cmp.Or(v.Understood(word), v.meant(word, meantFor()))
}

// Suggested returns the allowed value that was probably meant by a word that stands for
// none with certainty, "" when none is near.
func (v ValueSet) Suggested(word string) string {
	return cmp.Or(v.Synonym(word), Nearest(word, v.Allowed))
}

// meant is the first allowed value that a word has, or what takes its place.
func (v ValueSet) meant(word string, meanings map[string][]string) string {
	for _, value := range meanings[Fold(word)] {
		if slices.Contains(v.Allowed, value) {
			return value
		}
		if own := v.Instead[value]; own != "" {
			return own
		}
	}
	return ""
}
