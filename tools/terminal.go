package tools

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"issues-index/store/pattern"
)

// commands are the commands that do what tools do. An error names a tool, and a terminal the
// command; a person who types the name of a tool is told the command.
var commands = map[string]string{
	"issues_list": "list", "issues_search": "search", "issues_get": "show", "issues_get_batch": "show",
	"issues_create": "new", "issues_update": "set", "issues_update_batch": "set", "issues_delete": "delete",
	"issues_mark_complete": "done", "issues_claim": "claim", "issues_history": "history",
	"issues_stats": "stats", "issues_labels": "stats --by label", "issues_projects": "stats --by project",
	"session_get": "sessions show",
}

// CommandOf returns the command that does what a tool does, "" for none. The name of a toolset
// before that of the tool may be missing.
func CommandOf(tool string) string {
	for _, name := range []string{tool, "issues_" + tool} {
		if command := commands[strings.ReplaceAll(name, "-", "_")]; command != "" {
			return command
		}
	}
	return ""
}

var (
	calledTool = pattern.Lazy(`\b[a-z]+_[a-z_]+\b(?: \{([^}]*)\})?`)
	argument   = pattern.Lazy(`(\w+): (?:'([^']*)'|true)`)
	flagValues = pattern.Lazy(`\b(allowDuplicateTitle|ifVersion|local): (?:'([^']*)'|true)`)
)

// argumentFlags are the flags that stand for arguments in an error.
var argumentFlags = map[string]string{"allowDuplicateTitle": "--allow-duplicate", "ifVersion": "--if-version",
	"local": "--local"}

// agentPhrases are what only an agent is told, with what a person is told instead.
var agentPhrases = strings.NewReplacer(
	"Ask the user to ", "", "ask the user to ", "", ", or ask the user to,", ",", ", and tell the user", "",
	"Tell the user, and call again", "Try again", "Call it again", "Try again", "Call again", "Try again",
	"call again", "try again",
	"removeDependsOn", "issues-index dep rm",
)

// forTerminal words advice to an agent for a person: tools become commands, and arguments flags.
func forTerminal(advice string) string {
	advice = replaceMatches(calledTool(), advice, func(whole []string) string {
		name, _, _ := strings.Cut(whole[0], " ")
		command := commands[name]
		if command == "" {
			return whole[0]
		}
		text := "issues-index " + command
		for _, given := range argument().FindAllStringSubmatch(whole[1], -1) {
			switch name, value := given[1], given[2]; {
			case name == "id":
				text += " " + value
			case command == "set":
				text += " " + name + "=" + value
			}
		}
		return text
	})
	advice = replaceMatches(flagValues(), advice, func(whole []string) string {
		return strings.TrimSuffix(argumentFlags[whole[1]]+" "+whole[2], " ")
	})
	return clause(agentPhrases.Replace(advice))
}

// replaceMatches replaces each match of a pattern by what is made of it and its groups.
func replaceMatches(p *regexp.Regexp, text string, with func([]string) string) string {
	return p.ReplaceAllStringFunc(text, func(found string) string { return with(p.FindStringSubmatch(found)) })
}

// clause returns a sentence without a full stop or colon, and without its capital unless that
// begins an id.
func clause(sentence string) string {
	sentence = strings.TrimRight(sentence, ".:")
	first, size := utf8.DecodeRuneInString(sentence)
	if next, _ := utf8.DecodeRuneInString(sentence[size:]); unicode.IsLower(next) || next == ' ' {
		first = unicode.ToLower(first)
	}
	return string(first) + sentence[size:]
}
