package document

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestSmoke(t *testing.T) {
	for _, f := range strings.Fields(os.Getenv("SMOKE")) {
		d, err := Load(context.Background(), f, Options{URL: os.Getenv("SMOKEURL")})
		if err != nil {
			t.Log(f, "ERR", err)
			continue
		}
		t.Log(f, d.Dialect, d.Address, len(d.Operations), len(d.Issues))
		for _, o := range d.Operations[:min(len(d.Operations), 8)] {
			t.Log("  ", o.ID, o.Method, o.BasePath+o.Path, o.Untestable, len(o.Parameters), len(o.Responses))
		}
		for _, o := range d.Issues[:min(len(d.Issues), 2000)] {
			t.Log("  !", o.Severity, o.Place, o.Message)
		}
	}
}
