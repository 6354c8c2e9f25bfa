package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/dictionary"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator"
	"github.com/restest/restest/stages/reporter"
)

const (
	mostDictionary = 64 << 20 // bytes of one file
	// mostLinesTold is how many lines on values that are not used are said before a run; the report has them all.
	mostLinesTold = 20
)

// readDictionaries reads the files, and those of the folders. A file that cannot be read is an error; what is wrong
// with its content costs only the values concerned.
func readDictionaries(names []string) ([]*dictionary.Dictionary, error) {
	var all []*dictionary.Dictionary
	by := map[string]string{} // name of a dictionary: its file
	for _, name := range names {
		files, err := dictionaryFiles(name)
		if err != nil {
			return nil, fmt.Errorf("--dictionary %s %w", settings.Quote(name), err)
		}
		for _, file := range files {
			content, err := readFile(file, mostDictionary)
			if err != nil {
				return nil, fmt.Errorf("--dictionary %s cannot be read: %w; name a file or a folder of them", settings.Quote(file), err)
			}
			d := dictionary.Read(filepath.ToSlash(file), content)
			if first, twice := by[d.Name]; twice {
				d.Problems = append(d.Problems, fmt.Sprintf("%s: is named %s, as %s is, so it is not used; give it a name: of its own",
					d.File, settings.Quote(d.Name), first))
				d.Entries = nil
			} else {
				by[d.Name] = d.File
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// dictionaryFiles are the file of that name or, for a folder, the files in it.
func dictionaryFiles(name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w; name a file or a folder of them", reason(err))
	case !info.IsDir():
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", reason(err))
	}
	var files []string
	for _, e := range entries {
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".yaml", ".yml", ".json":
			if !e.IsDir() {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("is a folder without a .yaml, .yml or .json file; put a dictionary there")
	}
	return files, nil
}

// fitDictionaries notes what of the dictionaries will not be used, and gives the lines to say before the run.
func (p *prepared) fitDictionaries() []string {
	var lines []string
	for _, d := range p.dictionaries {
		unused := append(slices.Clone(d.Problems), generator.CheckDictionaries(
			generator.Config{Document: p.doc, Settings: p.given.Settings, Keys: p.keys}, []*dictionary.Dictionary{d})...)
		lines = append(lines, unused...)
		p.told = append(p.told, reporter.Dictionary{File: d.File, Name: d.Name, Values: len(d.Entries), NotUsed: unused})
	}
	if more := len(lines) - mostLinesTold; more > 0 {
		lines = append(lines[:mostLinesTold], fmt.Sprintf("and %d more lines on dictionaries, in the report", more))
	}
	return lines
}

// writeDictionaryTemplate writes a dictionary without values, with a line for each place that the document gives none for.
func writeDictionaryTemplate(w io.Writer, doc *document.Document, s settings.Settings) {
	fmt.Fprintf(w, "# Values for %s, for restest run --dictionary. Write those that the API knows between\n"+
		"# the brackets; lines left as they are do nothing. Values can also be given for all places of a name,\n"+
		"# a format, a type or a schema (name:, format:, type:, schema: beneath values:).\n"+
		"version: 1\nname: %s\nvalues:\n  operation:\n", oneLine(printable(doc.Title)), quoteYAML(wordOf(doc.Title)))
	last := -1
	for _, place := range generator.PlacesWithoutValues(doc, s) {
		if op := place.Operation; op.Index != last {
			last = op.Index
			fmt.Fprintf(w, "    %s: # %s\n", quoteYAML(op.Method+" "+op.Path), oneLine(printable(op.ID)))
		}
		needed := ""
		if place.Required {
			needed = ", required"
		}
		fmt.Fprintf(w, "      %s: [] # %s%s\n", quoteYAML(place.Place), oneLine(printable(place.What)), needed)
	}
}

// wordOf is a short name made of a title.
func wordOf(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return cmp.Or(strings.Join(words, "-"), "values")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// quoteYAML quotes a text so that YAML reads it as it is.
func quoteYAML(text string) string { return "'" + strings.ReplaceAll(printable(text), "'", "''") + "'" }
