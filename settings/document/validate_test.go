package document

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASecondOpinionIsANoteAndNeverFails(t *testing.T) {
	for _, path := range corpus(t) {
		if info, err := os.Stat(path); err != nil || info.Size() > 100<<10 {
			continue // the larger ones show nothing more, and take a while
		}
		d, err := Load(context.Background(), path, Options{})
		if err != nil {
			continue
		}
		notes := d.Validate(context.Background())
		t.Logf("%-45s %d notes", filepath.Base(path), len(notes))
		for _, note := range notes {
			if note.Severity != "note" || note.Message == "" || strings.Contains(note.Message, "\n") {
				t.Errorf("%s: %+v", path, note)
			}
		}
	}
}

func TestASecondOpinionNamesWhatTheSpecificationForbids(t *testing.T) {
	d := from(t, "d.yaml", map[string]string{"d.yaml": "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {}}}\n"}, Options{})
	notes := d.Validate(context.Background())
	if len(notes) == 0 || !strings.Contains(notes[0].Message, "responses") {
		t.Errorf("an operation without responses: %v", notes)
	}
}

func TestALargeDocumentIsSpared(t *testing.T) {
	text := `{"openapi":"3.0.3","info":{"title":"t","version":"1","description":"` + strings.Repeat("x", mostValidated) + `"},"paths":{}}`
	d := from(t, "d.json", map[string]string{"d.json": text}, Options{})
	notes := d.Validate(context.Background())
	if len(notes) != 1 || !strings.Contains(notes[0].Message, "larger than") {
		t.Errorf("got %v", notes)
	}
}
