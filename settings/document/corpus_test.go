package document

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shared is a folder of the collection of real documents and cases that lies beside the project; the test is skipped
// where it does not.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("RESTEST_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared collection is not here: %v", err)
	}
	return path
}

// corpus are the entry documents of the collection.
func corpus(t testing.TB) []string {
	t.Helper()
	root := shared(t, "openapi")
	var documents []string
	for _, pattern := range []string{
		"corpus/*.json", "corpus/*.y*ml", "corpus/broken/*.json", "corpus/broken/*.y*ml", "wfd/*.json", "wfd/*.yaml",
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	for _, entry := range []string{
		"corpus/digitalocean/DigitalOcean-public.v2.yaml", "corpus/nested-files/openapi.yaml",
		"corpus/oai-petstore-separate/spec/swagger.yaml",
	} {
		documents = append(documents, filepath.Join(root, entry))
	}
	slices.Sort(documents)
	return documents
}

func load(t testing.TB, path string, options Options) *Document {
	t.Helper()
	d, err := Load(context.Background(), path, options)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return d
}

func TestTheCollectionOfRealDocumentsOpens(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	documents := corpus(t)
	if len(documents) != 145 {
		t.Fatalf("%d documents in the collection, want 145", len(documents))
	}
	// In these a reference leads nowhere, or something that is no schema stands where one should.
	faulty := []string{
		"badref-burgershop.yaml", "mixedref-burgershop.yaml", "petstorev2-badref.json", "event-backend.json",
		"refAsInteger.yaml", "circular-tests.yaml", "ohsome-api.json",
		"ocvn.json", "proxyprint.json", "quartz-manager.json",
	}
	refused := map[string]string{}
	for _, path := range documents {
		name := filepath.Base(path)
		d, err := Load(context.Background(), path, Options{URL: "http://127.0.0.1:1"})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: the error has more than one line: %v", name, err)
			}
			refused[name] = err.Error()
			t.Logf("%-45s %v", name, err)
			continue
		}
		testable, errors := 0, 0
		for i, op := range d.Operations {
			if op.Index != i {
				t.Errorf("%s: operation %d has the index %d", name, i, op.Index)
			}
			if op.Untestable == "" {
				testable++
			}
			if op.Path == "" || op.Path[0] != '/' || strings.Contains(op.BasePath, "//") || strings.HasSuffix(op.BasePath, "/") {
				t.Errorf("%s: %s is at %q below %q", name, op.ID, op.Path, op.BasePath)
			}
		}
		for _, issue := range d.Issues {
			if issue.Severity == "error" {
				errors++
			}
			if strings.Contains(issue.Message, "\n") {
				t.Errorf("%s: an issue has more than one line: %q", name, issue.Message)
			}
		}
		t.Logf("%-45s %-9s %4d operations, %4d testable, %4d issues, %3d errors", name, d.Dialect, len(d.Operations), testable, len(d.Issues), errors)
		if (errors > 0) != slices.Contains(faulty, strings.TrimPrefix(name, "wfd-")) {
			t.Errorf("%s: %d errors: %+v", name, errors, d.Issues)
		}
		if testable == 0 && len(d.Operations) > 0 {
			t.Errorf("%s: none of its operations can be tested", name)
		}
		if d.Origin != "http://127.0.0.1:1" {
			t.Errorf("%s: its origin is %q", name, d.Origin)
		}
	}
	// Two are no YAML, one is no OpenAPI document, and in one an anchor contains itself.
	for _, name := range []string{"intercom-invalid-yaml.yaml", "netlify-invalid-yaml.yml", "not-openapi.yml", "yamlbomb.yaml"} {
		if refused[name] == "" {
			t.Errorf("%s was read", name)
		}
		delete(refused, name)
	}
	for name, why := range refused {
		t.Errorf("%s was refused: %s", name, why)
	}
}
