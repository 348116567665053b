package selector

import (
	"regexp"
	"strings"
)

var (
	roleName  = regexp.MustCompile(`^[a-z]+`)
	stateName = regexp.MustCompile(`^\[\s*([a-zA-Z-]+)\s*`)
	levelNum  = regexp.MustCompile(`^[0-9]{1,3}$`)
	special   = regexp.MustCompile(`[\\^$.*+?()[\]{}|/]`)
)

// parseRole reads button[name="Save"][checked][level=2][include-hidden].
// Inside internal selectors a name with the flag i is a part of the name.
func parseRole(s string, internal bool) (Step, error) {
	step := Step{Kind: KindRole, Role: roleName.FindString(s)}
	if step.Role == "" {
		return step, errText("role= takes a role in lower case, as in role=button")
	}
	rest := strings.TrimSpace(s[len(step.Role):])
	for rest != "" {
		m := stateName.FindStringSubmatch(rest)
		if m == nil {
			return step, errText("after the role come attributes in brackets, as in role=checkbox[checked][name=\"Agree\"]")
		}
		body := rest[len(m[0]):]
		end := closingBracket(body)
		if end < 0 {
			return step, errText("a bracket is not closed")
		}
		if err := roleAttribute(&step, strings.ToLower(m[1]), strings.TrimSpace(body[:end]), internal); err != nil {
			return step, err
		}
		rest = strings.TrimSpace(body[end+1:])
	}
	return step, nil
}

// closingBracket is the first ] outside quotes and regular expressions.
func closingBracket(s string) int {
	regex := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '/' && (regex || i == 0 || s[i-1] == '='):
			regex = !regex
		case !regex && (c == '"' || c == '\''):
			if end := closingQuote(s, i); end > 0 {
				i = end
			}
		case c == ']' && !regex:
			return i
		}
	}
	return -1
}

func roleAttribute(step *Step, name, rest string, internal bool) error {
	op, value := "", ""
	if rest != "" {
		op, value = "=", strings.TrimSpace(strings.TrimPrefix(rest, "="))
		if rest[0] != '=' {
			if len(rest) < 2 || rest[1] != '=' || !strings.Contains("*^$", rest[:1]) {
				return errText("an attribute of a role is compared with = (a name also with *=)")
			}
			op, value = rest[:2], strings.TrimSpace(rest[2:])
		}
		if value == "" {
			return errText("an attribute of a role has no value after " + op)
		}
	}
	if name == "name" {
		return roleNameIs(step, op, value, internal)
	}
	if op == "" {
		value = "true"
	}
	return setState(step, name, strings.Trim(value, `"'`))
}

func roleNameIs(step *Step, op, value string, internal bool) error {
	if op == "" {
		return errText("name needs a value, as in [name=\"Save\"]")
	}
	flag := ""
	if n := len(value); n > 2 && (value[n-1] == 'i' || value[n-1] == 's') && (value[0] == '"' || value[0] == '\'') {
		if head := strings.TrimSpace(value[:n-1]); closingQuote(head, 0) == len(head)-1 {
			flag, value = value[n-1:], head
		}
	}
	t, err := parseText(value, MatchExact)
	if err != nil {
		return err
	}
	switch {
	case t.Match == MatchRegex:
	case op == "*=" || internal && flag == "i":
		t.Match = MatchPart
	case op == "^=":
		t = &Text{Value: "^" + escapeRegex(t.Value), Match: MatchRegex, Flags: caseFlag(flag)}
	case op == "$=":
		t = &Text{Value: escapeRegex(t.Value) + "$", Match: MatchRegex, Flags: caseFlag(flag)}
	case flag == "i":
		t = &Text{Value: "^" + escapeRegex(t.Value) + "$", Match: MatchRegex, Flags: "i"}
	default:
		t.Match = MatchExact
	}
	step.Text = t
	return nil
}

func caseFlag(flag string) string {
	if flag == "i" {
		return "i"
	}
	return ""
}

// escapeRegex writes literal text as a regular expression; whitespace is
// normalised in the page before the match, so it is here too.
func escapeRegex(s string) string {
	return special.ReplaceAllString(strings.Join(strings.Fields(s), " "), `\$0`)
}

// setState sets one of the states that a role can be asked for.
func setState(step *Step, name, value string) error {
	switch name {
	case "include-hidden", "includehidden":
		step.Hidden = value == "true"
		return nil
	case "checked", "pressed":
		if value == "mixed" {
			break
		}
		fallthrough
	case "disabled", "expanded", "selected":
		if value != "true" && value != "false" {
			return errText(name + " takes true or false")
		}
	case "level":
		if !levelNum.MatchString(value) {
			return errText("level takes a number")
		}
	default:
		return errText("a role has the attributes name, checked, disabled, expanded, include-hidden, level, pressed and selected, not " + name)
	}
	if step.States == nil {
		step.States = map[string]string{}
	}
	step.States[name] = value
	return nil
}
