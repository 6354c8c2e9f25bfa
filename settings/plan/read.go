package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/settings"
)

const (
	mostShare      = 1_000_000
	mostStrategies = 100
)

// Read reads a plan, YAML or JSON. What a plan does not say is as in the plan that is followed without one. Everything
// that is wrong with it is told at once, a line each with its place.
func Read(file string, content []byte, given settings.Settings) (*Plan, error) {
	root, wrong := settings.Tree(file, content)
	if wrong != "" {
		return nil, errors.New(wrong)
	}
	r := reader{file: file}
	p := Default(given)
	if root == nil || root.Kind != yaml.MappingNode {
		r.say(root, "is not a plan; write version: 1 and, beneath it, strategies: and operations:")
		return nil, r.err()
	}
	version := false
	r.each(root, []string{"version", "strategies", "operations"}, "of a plan", func(key string, at, value *yaml.Node) {
		switch key {
		case "version":
			version = true
			if n, ok := r.number(value, "version"); ok && n != Version {
				r.say(value, "is of version %d, and only %d is known", n, Version)
			}
		case "strategies":
			p.Strategies = r.strategies(value, given)
		case "operations":
			r.each(value, []string{"only", "leaveAlone"}, "of operations", func(key string, _, value *yaml.Node) {
				names := r.names(value, key)
				if key == "only" {
					p.Only = names
				} else {
					p.LeftAlone = names
				}
			})
		}
	})
	if !version {
		r.say(root, "does not say its version; write version: 1")
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return p, nil
}

type reader struct {
	file  string
	wrong []string
}

func (r *reader) err() error {
	if len(r.wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(r.wrong, "\n"))
}

// say tells what is wrong at the node.
func (r *reader) say(n *yaml.Node, format string, args ...any) {
	line := 1
	if n != nil {
		line = n.Line
	}
	r.wrong = append(r.wrong, r.file+":"+strconv.Itoa(line)+": "+fmt.Sprintf(format, args...))
}

// each calls f with the members of a mapping; names that are not among the known ones, or are there twice, are refused.
func (r *reader) each(n *yaml.Node, known []string, of string, f func(key string, at, value *yaml.Node)) {
	if n = followed(n); n.Kind != yaml.MappingNode {
		r.say(n, "is no group; write %s beneath it", strings.Join(known, ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], followed(n.Content[i+1])
		switch name := key.Value; {
		case key.Kind != yaml.ScalarNode || !slices.Contains(known, name):
			what := "the names are " + strings.Join(known, ", ")
			if meant := settings.Suggest(name, known); meant != "" {
				what = "did you mean " + meant + "?"
			}
			r.say(key, "%s is no name %s; %s", settings.Quote(name), of, what)
		case seen[name]:
			r.say(key, "%s is there twice; keep one of the two", name)
		default:
			seen[name] = true
			f(name, key, value)
		}
	}
}

func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// number is a whole number that is not negative.
func (r *reader) number(n *yaml.Node, what string) (int, bool) {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil || v < 0 || v > mostShare {
		r.say(n, "%s is not a whole number from 0 to %d", what, mostShare)
		return 0, false
	}
	return v, true
}

// names are a list of texts.
func (r *reader) names(n *yaml.Node, what string) []string {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.say(n, "%s is not a list; write operationIds, METHOD /path or tags, each behind a dash", what)
		return nil
	}
	var names []string
	for _, item := range n.Content {
		if item = followed(item); item.Kind != yaml.ScalarNode || strings.TrimSpace(item.Value) == "" {
			r.say(item, "%s holds something other than a name; write operationIds, METHOD /path or tags", what)
			continue
		}
		names = append(names, item.Value)
	}
	return names
}

func (r *reader) strategies(n *yaml.Node, given settings.Settings) []Strategy {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > mostStrategies {
		r.say(n, "strategies is not a list; write - strategy: nominal and a share beneath it, for each")
		return nil
	}
	var all []Strategy
	total := 0
	for _, item := range n.Content {
		s := Strategy{}
		named, shared := false, false
		r.each(item, []string{"strategy", "share", "sources"}, "of a strategy", func(key string, at, value *yaml.Node) {
			switch key {
			case "strategy":
				named = true
				if s.Name = value.Value; value.Kind != yaml.ScalarNode || !slices.Contains(strategyNames, s.Name) {
					what := "they are " + strings.Join(strategyNames, ", ")
					if meant := settings.Suggest(value.Value, strategyNames); meant != "" {
						what = "did you mean " + meant + "?"
					}
					r.say(value, "%s is no strategy; %s", settings.Quote(value.Value), what)
				}
			case "share":
				shared = true
				s.Share, _ = r.number(value, "share")
			case "sources":
				s.Sources = r.sources(value)
			}
		})
		switch {
		case !named:
			r.say(item, "a strategy has no name; write strategy: and one of %s", strings.Join(strategyNames, ", "))
		case !shared:
			r.say(item, "%s has no share; write share: and a number", settings.Quote(s.Name))
		case len(s.Sources) > 0 && s.Name != Nominal && s.Name != Fuzzing:
			r.say(item, "%s takes no sources: it goes by what was accepted", s.Name)
		case len(s.Sources) == 0 && s.Name == Nominal:
			s.Sources = Default(given).Strategies[0].Sources
		}
		total += s.Share
		all = append(all, s)
	}
	if total == 0 && len(r.wrong) == 0 {
		r.say(n, "the shares are all 0, so nothing would be sent; give one of them a share")
	}
	return all
}

// sources are groups, each a source's name or several with their weights.
func (r *reader) sources(n *yaml.Node) []Group {
	if n.Kind != yaml.SequenceNode {
		r.say(n, "sources is not a list; write a source, or several with their weights such as {example: 15, random: 20}, behind each dash")
		return nil
	}
	var groups []Group
	sure := false // a group before has a value everywhere
	for i, item := range n.Content {
		var group Group
		switch item = followed(item); item.Kind {
		case yaml.ScalarNode:
			if r.isSource(item) {
				group = Group{{item.Value, 1}}
			}
		case yaml.MappingNode:
			r.each(item, sourceNames, "of a source", func(key string, at, value *yaml.Node) {
				if weight, ok := r.number(value, key); ok {
					group = append(group, Weighted{key, weight})
				}
			})
		default:
			r.say(item, "is no source; the sources are %s", strings.Join(sourceNames, ", "))
		}
		if len(group) == 0 {
			continue
		}
		if slices.ContainsFunc(group, func(w Weighted) bool { return w.Source == Enum }) && (i > 0 || len(group) > 1) {
			r.say(item, "enum comes first and alone, or not at all: what the document lists always wins")
		}
		if sure {
			r.say(item, "is never asked: random, before it, has a value for everything")
		}
		sure = sure || slices.ContainsFunc(group, func(w Weighted) bool { return w.Source == Random && w.Weight > 0 })
		groups = append(groups, group)
	}
	return groups
}

func (r *reader) isSource(n *yaml.Node) bool {
	if slices.Contains(sourceNames, n.Value) {
		return true
	}
	what := "the sources are " + strings.Join(sourceNames, ", ")
	if meant := settings.Suggest(n.Value, sourceNames); meant != "" {
		what = "did you mean " + meant + "?"
	}
	r.say(n, "%s is no source; %s", settings.Quote(n.Value), what)
	return false
}

// Print writes the plan as a file. Read back, it gives the same plan.
func (p *Plan) Print() string {
	var b strings.Builder
	b.WriteString("# Test plan of restest; --plan reads it back. After the opening lap, and once the rules of the document have been gone\n" +
		"# through (schedule.mostCovering), each operation's requests are built by these strategies in these shares. Sources are\n" +
		"# asked in order; those of one line share by their weights.\n" +
		"version: 1\nstrategies:\n")
	for _, s := range p.Strategies {
		fmt.Fprintf(&b, "  - strategy: %s\n    share: %d\n", s.Name, s.Share)
		if len(s.Sources) == 0 {
			continue
		}
		b.WriteString("    sources:\n")
		for _, group := range s.Sources {
			if len(group) == 1 && group[0].Weight == 1 {
				fmt.Fprintf(&b, "      - %s\n", group[0].Source)
				continue
			}
			texts := make([]string, len(group))
			for i, w := range group {
				texts[i] = fmt.Sprintf("%s: %d", w.Source, w.Weight)
			}
			fmt.Fprintf(&b, "      - {%s}\n", strings.Join(texts, ", "))
		}
	}
	b.WriteString("# By operationId, METHOD /path in which * stands for any text, or tag.\noperations:\n")
	for _, list := range []struct {
		name  string
		names []string
	}{{"only", p.Only}, {"leaveAlone", p.LeftAlone}} {
		if len(list.names) == 0 {
			fmt.Fprintf(&b, "  %s: []\n", list.name)
			continue
		}
		fmt.Fprintf(&b, "  %s:\n", list.name)
		for _, name := range list.names {
			fmt.Fprintf(&b, "    - %s\n", strconv.Quote(name))
		}
	}
	return b.String()
}
