package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The JSON Schema Test Suite says of schemas and values which fits which. The judge is asked the same as the validator
// beneath it is through a compiler of its own, which the judge does without: where the validator is right by the suite,
// the judge has to be.

// suiteGroup is one schema of the suite and the values to try it on.
type suiteGroup struct {
	file        string
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        any
		Valid       bool
	}
}

// deliberate is a difference that is meant: in the groups of a file that begin as said, "" for each.
type deliberate struct {
	file, group string
	why         reason
}

// reason is why the judge does not say what the suite says. Where it is open nothing is judged; nothing else will do.
type reason struct {
	text string
	open bool
}

var (
	dynamic     = reason{"which schema a $dynamicRef means hangs on the way there, which is left open", true}
	metaSchemas = reason{"what is not where the document is, or where it may be fetched, is not known: the meta-schemas are no exception", true}
	identifiers = reason{"OpenAPI 3.0 has no id", true}
	asserted    = reason{"a format is asserted, as documents of OpenAPI mean it", false}
	notAsserted = reason{"the format is let through: hardly a document has it, and those do not mean it to the letter", false}
	oneDialect  = reason{"the document's dialect holds for all it refers to, whatever $schema says", false}
	anywhere    = reason{"an $id counts wherever it stands: what a keyword that is not known holds can be referred to", false}
)

func TestTheJudgeAgreesWithTheTestSuiteOf2020AsFarAsItsValidatorDoes(t *testing.T) {
	runSuite(t, "draft2020-12", "3.1.0", jsonschema.Draft2020, []deliberate{
		{"defs", "validate definition against metaschema", metaSchemas},
		{"ref", "remote ref, containing refs itself", metaSchemas},
		{"dynamicRef", "", dynamic},
		{"optional/dynamicRef", "", dynamic},
		{"unevaluatedItems", "unevaluatedItems with $dynamicRef", dynamic},
		{"unevaluatedProperties", "unevaluatedProperties with $dynamicRef", dynamic},
		{"format", "", asserted},
		{"optional/format/iri", "", notAsserted},
		{"optional/format/iri-reference", "", notAsserted},
		{"optional/format/regex", "", notAsserted},
		{"optional/format/relative-json-pointer", "", notAsserted},
		{"optional/format/uri-template", "", notAsserted},
		{"optional/cross-draft", "", oneDialect},
		{"vocabulary", "schema that uses custom metaschema with with no validation vocabulary", oneDialect},
		{"optional/unknownKeyword", "$id inside an unknown keyword", anywhere},
	})
}

func TestTheJudgeAgreesWithTheTestSuiteOfDraft4AsOpenAPI30RestrictsIt(t *testing.T) {
	runSuite(t, "draft4", "3.0.3", jsonschema.Draft4, []deliberate{
		{"definitions", "validate definition against metaschema", metaSchemas},
		{"ref", "remote ref, containing refs itself", metaSchemas},
		{"refRemote", "Location-independent identifier in remote ref", identifiers},
	})
}

// runSuite goes through the suite of a draft, what is optional as well.
func runSuite(t *testing.T, draft, version string, dialect *jsonschema.Draft, differences []deliberate) {
	folder := suiteFolder(t)
	var cases, agreed, excepted, beyond, outside int
	used := map[deliberate]bool{}
	for _, group := range suiteGroups(t, filepath.Join(folder, "tests", draft)) {
		if dialect == jsonschema.Draft4 && !inOpenAPI30(group.Schema) {
			outside += len(group.Tests)
			continue
		}
		validates, err := bySanthosh(folder, group, dialect)
		if err != nil {
			beyond += len(group.Tests)
			continue
		}
		judges := byJudge(t, folder, group, version)
		for _, test := range group.Tests {
			cases++
			if validates(test.Data) != test.Valid {
				beyond++
				continue
			}
			fits, err := judges(test.Data)
			if err == nil && fits == test.Valid {
				agreed++
				continue
			}
			i := slices.IndexFunc(differences, func(d deliberate) bool {
				return d.file == group.file && strings.HasPrefix(group.Description, d.group)
			})
			if i < 0 || differences[i].why.open && err == nil {
				t.Errorf("%s: %s: %s: fits %v, judged %v (%v)\n%s", group.file, group.Description, test.Description, test.Valid, fits, err, group.Schema)
				continue
			}
			used[differences[i]] = true
			excepted++
		}
	}
	for _, d := range differences {
		if !used[d] {
			t.Errorf("there is no difference any more: %v", d)
		}
	}
	t.Logf("%s: %d cases, %d agreed, %d excepted, %d beyond the validator, %d outside OpenAPI", draft, cases, agreed, excepted, beyond, outside)
}

func suiteFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("RESTEST_SCHEMAS")
	if folder == "" {
		t.Skip("RESTEST_SCHEMAS names no folder with the JSON Schema Test Suite (.ci/schemas gathers it)")
	}
	return filepath.Join(folder, "suite")
}

func suiteGroups(t *testing.T, folder string) []suiteGroup {
	t.Helper()
	var groups []suiteGroup
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var read []suiteGroup
		if err := decoder.Decode(&read); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		for _, group := range read {
			group.file = strings.TrimSuffix(filepath.ToSlash(name), ".json")
			groups = append(groups, group)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// remote reads what the suite's schemas refer to at an address.
func remote(folder, address string) ([]byte, error) {
	path, ok := strings.CutPrefix(address, "http://localhost:1234/")
	if !ok {
		return nil, errors.New("it is not among the suite's")
	}
	return os.ReadFile(filepath.Join(folder, "remotes", filepath.FromSlash(path)))
}

type remotes string

func (folder remotes) Load(address string) (any, error) {
	text, err := remote(string(folder), address)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

const suiteAddress = "http://localhost:1234/suite.json"

// bySanthosh is the validator, given the schema as JSON Schema text.
func bySanthosh(folder string, group suiteGroup, dialect *jsonschema.Draft) (func(any) bool, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(dialect)
	c.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) {
		p := newPattern(source)
		return &judgedBy{p, &state{}}, p.err
	})
	c.UseLoader(jsonschema.SchemeURLLoader{"http": remotes(folder), "https": remotes(folder)})
	if strings.HasPrefix(group.file, "optional/format") {
		c.AssertFormat()
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(group.Schema))
	if err != nil {
		return nil, err
	}
	if err := c.AddResource(suiteAddress, schema); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(suiteAddress)
	if err != nil {
		return nil, err
	}
	return func(value any) bool { return compiled.Validate(value) == nil }, nil
}

// byJudge is the judge, given the schema as a file that a document refers to.
func byJudge(t *testing.T, folder string, group suiteGroup, version string) func(any) (bool, error) {
	t.Helper()
	const entry = "http://localhost:1234/openapi.json"
	document := `{"openapi":"` + version + `","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{
		"description":"ok","content":{"application/json":{"schema":{"$ref":"suite.json"}}}}}}}}}`
	d, err := Load(context.Background(), entry, Options{
		URL: "http://127.0.0.1:1",
		Read: func(_ context.Context, location string) ([]byte, error) {
			switch location {
			case entry:
				return []byte(document), nil
			case suiteAddress:
				return group.Schema, nil
			default:
				return remote(folder, location)
			}
		},
	})
	if err != nil {
		t.Fatalf("%s: %s: %v", group.file, group.Description, err)
	}
	judge, schema := NewJudge(d), d.Operations[0].Responses[0].Media[0].Schema
	return func(value any) (bool, error) {
		faults, err := judge.Judge(schema, InReply, value)
		return len(faults) == 0, err
	}
}

// inOpenAPI30 says whether OpenAPI 3.0 has all that the schema says. Where the suite keeps definitions, a document of
// OpenAPI has its components.
func inOpenAPI30(schema json.RawMessage) bool {
	var keywords map[string]json.RawMessage
	if json.Unmarshal(schema, &keywords) != nil {
		return false
	}
	if _, ok := keywords["$ref"]; ok {
		return true // what stands beside it is ignored
	}
	all := func(schemas []json.RawMessage) bool {
		return !slices.ContainsFunc(schemas, func(s json.RawMessage) bool { return !inOpenAPI30(s) })
	}
	for keyword, value := range keywords {
		var (
			named map[string]json.RawMessage
			list  []json.RawMessage
			text  string
			truth bool
		)
		ok := true
		switch keyword {
		case "title", "description", "default", "$schema", "format", "pattern", "enum", "required", "multipleOf", "maximum",
			"minimum", "exclusiveMaximum", "exclusiveMinimum", "maxLength", "minLength", "maxItems", "minItems", "uniqueItems",
			"maxProperties", "minProperties":
		case "type":
			ok = json.Unmarshal(value, &text) == nil && text != "null"
		case "additionalProperties":
			ok = json.Unmarshal(value, &truth) == nil || inOpenAPI30(value)
		case "items", "not":
			ok = inOpenAPI30(value)
		case "allOf", "anyOf", "oneOf":
			ok = json.Unmarshal(value, &list) == nil && all(list)
		case "properties", "definitions":
			ok = json.Unmarshal(value, &named) == nil
			for _, s := range named {
				ok = ok && inOpenAPI30(s)
			}
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}
