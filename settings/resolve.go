package settings

import (
	"cmp"
	"slices"
	"strings"
)

// Input is what the settings of a run are resolved from. Nothing else is looked at.
type Input struct {
	// Simulated are the settings that a simulated run is based on, as its recording or its scenario has them; Flag says
	// where.
	Simulated []Flag
	// File is the name of the settings file, for what is said about it; Content is what stands in it.
	File    string
	Content []byte
	// Environ is the environment, as os.Environ gives it.
	Environ []string
	// Set are the values of --set, "group.key=value" each.
	Set []string
	// Flags are settings with a flag of their own on the command line; they win over Set.
	Flags []Flag
}

// Flag is a setting given by a flag of its own.
type Flag struct {
	Flag  string // as the user wrote it: "--proxy"
	Name  string // "engine.proxy"
	Value string
}

// Problem is something wrong with a setting that was given.
type Problem struct {
	// Where it was given, such as "settings.yaml:3: engine.readTimeout" or "--set engine.readTimeout".
	Where string
	// What is wrong with it, and what to do.
	What string
}

// Problems are all that is wrong with the settings of a run.
type Problems []Problem

// Error has a line for each problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Where + ": " + problem.What
	}
	return strings.Join(lines, "\n")
}

// prefix begins the name of each environment variable that holds a setting.
const prefix = "RESTEST_"

// Resolve lays the places over one another, later ones winning: the defaults, what a simulation is
// based on, the file, the environment and the command line. Then it works out what follows from them. The error, if there is one, is of type Problems.
func Resolve(in Input) (*Given, error) {
	r := resolver{
		given:   &Given{Settings: Default(), from: make([]source, len(table))},
		refused: make(map[string]bool),
	}
	for _, flag := range in.Simulated {
		if row, known := rowOf[flag.Name]; known {
			r.give(row, flag.Value, source{FromSimulated, flag.Flag, flag.Flag + ": " + flag.Name})
		} else {
			r.complain(flag.Flag+": "+Quote(flag.Name), unknown(flag.Name))
		}
	}
	if in.Content != nil {
		r.readFile(cmp.Or(in.File, "settings file"), in.Content)
	}
	r.readEnvironment(in.Environ)
	r.readCommandLine(in.Set, in.Flags)

	r.given.workOut()
	r.problems = append(r.problems, r.given.checkTogether(r.refused)...)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return r.given, nil
}

type resolver struct {
	given    *Given
	problems Problems
	refused  map[string]bool // names of settings with a value that was refused
}

func (r *resolver) complain(where, what string) {
	r.problems = append(r.problems, Problem{where, what})
}

// give sets a known setting to a value from one of the places.
func (r *resolver) give(row int, text string, from source) {
	if wrong := table[row].put(&r.given.Settings, text); wrong != "" {
		r.refuse(row, from.subject, wrong)
		return
	}
	r.given.from[row] = from
}

func (r *resolver) refuse(row int, subject, wrong string) {
	r.refused[table[row].name] = true
	r.complain(subject, wrong)
}

// readEnvironment takes RESTEST_<GROUP>_<KEY>. A variable whose middle is not one of the groups is not a setting.
func (r *resolver) readEnvironment(environ []string) {
	byVariable := make(map[string]int, len(table))
	for i := range table {
		byVariable[table[i].variable()] = i
	}
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		variable, text, _ := strings.Cut(entry, "=")
		text = strings.TrimSpace(text)
		rest, ours := strings.CutPrefix(variable, prefix)
		group, key, inGroup := strings.Cut(rest, "_")
		group = strings.ToLower(group)
		if !ours || !inGroup || !slices.Contains(Groups(), group) {
			continue
		}
		row, known := byVariable[variable]
		switch {
		case !known:
			what := "is not a setting"
			if meant := SuggestName(group + "." + strings.ReplaceAll(key, "_", "")); meant != "" {
				what += "; did you mean " + table[rowOf[meant]].variable() + "?"
			}
			r.complain(Quote(variable), what)
		case text == "" && table[row].kind != isText:
			r.refuse(row, variable, "is empty; unset it or give it a value")
		default:
			r.give(row, text, source{FromEnvironment, variable, variable})
		}
	}
}

func (r *resolver) readCommandLine(set []string, flags []Flag) {
	for _, argument := range set {
		name, text, assigned := strings.Cut(argument, "=")
		name = strings.TrimSpace(name)
		subject := "--set " + Quote(name)
		row, known := rowOf[name]
		switch {
		case !known:
			r.complain(subject, unknown(name))
		case !assigned:
			r.complain(subject, "has no value; write --set "+name+"=value")
		default:
			r.give(row, strings.TrimSpace(text), source{FromCommandLine, "--set", subject})
		}
	}
	for _, flag := range flags {
		r.give(rowOf[flag.Name], flag.Value, source{FromCommandLine, flag.Flag, flag.Flag})
	}
}

// unknown says that a name is not one of a setting, and which may have been meant.
func unknown(name string) string {
	if slices.Contains(Groups(), name) {
		return "is a group, not a setting; write group.key"
	}
	if meant := SuggestName(name); meant != "" {
		return "is not a setting; did you mean " + meant + "?"
	}
	return "is not a setting; restest settings lists them all"
}
