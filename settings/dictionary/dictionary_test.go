package dictionary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func entries(d *Dictionary) []string {
	all := []string{}
	for _, e := range d.Entries {
		all = append(all, fmt.Sprintf("%s|%s|%s|%v|%s", e.Group, e.Key, e.Place, e.Value, e.Where))
	}
	return all
}

func TestEachGroupOfValuesIsRead(t *testing.T) {
	d := Read("dir/shop.yaml", []byte(`version: 1
name: shop
values:
  operation:
    POST /orders:
      body.items[].sku: [A-1, B-2]
      query.limit: 5
    any: {header.X-Tenant: [acme]}
  schema: {Address: [{city: Seville, floors: [1, 0x10]}]}
  name: {sku: [1.50, true, null, "7"]}
  format: {email: [ada@example.com]}
  type: {string: [ñandú], integer: }
  any: [x]
`))
	want := []string{
		"operation|POST /orders|body.items[].sku|A-1|dir/shop.yaml:6", "operation|POST /orders|body.items[].sku|B-2|dir/shop.yaml:6",
		"operation|POST /orders|query.limit|5|dir/shop.yaml:7", "operation|any|header.X-Tenant|acme|dir/shop.yaml:8",
		"schema|Address||map[city:Seville floors:[1 16]]|dir/shop.yaml:9",
		"name|sku||1.50|dir/shop.yaml:10", "name|sku||true|dir/shop.yaml:10", "name|sku||<nil>|dir/shop.yaml:10", "name|sku||7|dir/shop.yaml:10",
		"format|email||ada@example.com|dir/shop.yaml:11", "type|string||ñandú|dir/shop.yaml:12", "any|||x|dir/shop.yaml:13",
	}
	if got := entries(d); !slices.Equal(got, want) || len(d.Problems) > 0 || d.Name != "shop" {
		t.Errorf("%s: %q\nproblems %q", d.Name, got, d.Problems)
	}
}

func TestJSONIsReadAsYAMLIsAndTheFileGivesTheName(t *testing.T) {
	d := Read(`C:\x\words.v1.json`, []byte(`{"version": 1, "values": {"name": {"a": ["x"]}}}`))
	if d.Name != "words.v1" || len(d.Entries) != 1 || len(d.Problems) > 0 {
		t.Errorf("%+v", d)
	}
}

func TestWhatCannotBeReadCostsItselfAlone(t *testing.T) {
	for _, row := range []struct {
		name, content string
		entries       int
		problems      []string
	}{
		{"no YAML", "version: 1\nvalues: {a: [", 0, []string{"d.yaml:3: is neither YAML nor JSON: did not find expected node content"}},
		{"nothing", "", 0, []string{"d.yaml: is empty; restest document DOCUMENT --dictionary-template writes a beginning"}},
		{"a list", "- a", 0, []string{"d.yaml:1: is not a dictionary; write version: 1 and values: with groups of values beneath it"}},
		{"another version", "version: 2\nvalues: {any: [x]}", 0, []string{"d.yaml:1: is of version 2, and only 1 is known"}},
		{"no version", "values: {any: [x]}", 0, []string{"d.yaml:1: says no version; write version: 1 at its beginning"}},
		{"no values", "version: 1", 0, []string{"d.yaml:1: holds no values; write values: with groups such as name: beneath it"}},
		{"a part misspelt", "version: 1\nvalue: {any: [x]}\nvalues: {any: [y]}", 1, []string{"d.yaml:2: value is not a part of a dictionary; did you mean values?"}},
		{"a group misspelt", "version: 1\nvalues:\n  formats: {email: [x]}\n  any: [y]", 1, []string{"d.yaml:3: formats is not a group of values; did you mean format?"}},
		{"a type misspelt", "version: 1\nvalues:\n  type: {sting: [x], string: [y]}", 1, []string{"d.yaml:3: sting is not a JSON type; did you mean string?"}},
		{"a group that is a list", "version: 1\nvalues:\n  name: [x]", 0, []string{"d.yaml:3: name is not a mapping; write names with a list of values each beneath it"}},
		{"places that are a list", "version: 1\nvalues:\n  operation: {GET /x: [x]}", 0, []string{"d.yaml:3: \"GET /x\" is not a mapping; write places such as query.limit beneath it"}},
		{"a mapping for a list", "version: 1\nvalues:\n  name: {a: {b: [c]}, d: [e]}", 1, []string{"d.yaml:3: a holds a mapping where a list of values belongs"}},
		{"a key twice", "version: 1\nvalues:\n  any: [x]\n  any: [y]", 0, nil},
		{"a number that is none", "version: 1\nvalues:\n  any: [.inf, 1]", 1, []string{"d.yaml:3: .inf is a number that JSON cannot hold; quote it to have it as text"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := Read("d.yaml", []byte(row.content))
			if row.problems == nil {
				if len(d.Problems) != 1 {
					t.Errorf("problems %q", d.Problems)
				}
				return
			}
			if len(d.Entries) != row.entries || !slices.Equal(d.Problems, row.problems) {
				t.Errorf("%d entries, problems %q\nwant %q", len(d.Entries), d.Problems, row.problems)
			}
		})
	}
}

func TestAnyContentIsReadOrRefused(t *testing.T) {
	pieces := []string{"version: 1\n", "values:\n", "  name:\n", "    a: [x]\n", "&a ", "*a", "[", "{", "- ", "\t", "é", "  any: [1]\n", "<<: ", "!!binary ", "0x", "\x00"}
	rapid.Check(t, func(t *rapid.T) {
		var content []byte
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces") {
			content = append(content, p...)
		}
		for _, line := range Read("d.yaml", content).Problems {
			if !strings.HasPrefix(line, "d.yaml") || strings.ContainsAny(line, "\n\t") {
				t.Fatalf("a problem without its place: %q", line)
			}
		}
	})
}

func TestAliasesThatMultiplyAreBounded(t *testing.T) {
	bomb := "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n"
	last := "a"
	for _, next := range []string{"b", "c", "d", "e", "f", "g", "h", "i"} {
		bomb += fmt.Sprintf("%s: &%s [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n", next, next, last, last, last, last, last, last, last, last, last)
		last = next
	}
	d := Read("d.yaml", []byte(bomb+"values: {any: [*i]}\n"))
	if len(d.Entries) > 0 || len(d.Problems) == 0 {
		t.Errorf("%d entries, problems %q", len(d.Entries), d.Problems)
	}
}
