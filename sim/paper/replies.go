package paper

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages/generator/values"
)

// replies makes the ordinary replies of one operation.
type replies struct {
	status int
	// ready is the reply where each is the same.
	ready *messages.Reply
	media string
	field *values.Field
	draw  *values.Draw
}

// prepare works out what each operation of the document answers.
func prepare(doc *document.Document, bySchema bool, r *rand.Rand) []replies {
	if doc == nil {
		return nil
	}
	g := settings.Default().Generation
	shapes := values.NewShapes(g)
	draw := shapes.Draw(r, nothing{})
	swapped := map[*document.Schema]*document.Schema{}
	all := make([]replies, len(doc.Operations))
	for i, op := range doc.Operations {
		status, media := success(op)
		all[i] = replies{status: status, ready: &messages.Reply{Proto: "HTTP/1.1", Status: status}}
		if !bySchema || media == nil || media.Schema == nil || status == 204 || strings.EqualFold(op.Method, "HEAD") {
			continue
		}
		shape := shapes.Of(sent(media.Schema, swapped))
		if !shape.Possible() {
			continue
		}
		field := values.NewField("", shape)
		all[i] = replies{status: status, media: media.Type, field: &field, draw: draw}
	}
	return all
}

// nothing has been observed by an API on paper.
type nothing struct{}

func (nothing) Values(string) []any { return nil }

func (nothing) Refers(string) bool { return false }

// success is the first success the document declares for the operation, with its JSON content if there is any.
func success(op *document.Operation) (status int, media *document.Media) {
	for _, r := range op.Responses {
		code, err := strconv.Atoi(strings.ReplaceAll(r.Code, "X", "0"))
		if err != nil || code < 200 || code > 299 {
			continue
		}
		for _, m := range r.Media {
			if essence := document.Essence(m.Type); essence == "application/json" || strings.HasSuffix(essence, "+json") {
				return code, m
			}
		}
		return code, nil
	}
	return 200, nil
}

// make makes a reply; the numbers are those that were sown.
func (r *replies) make() Answer {
	if r.field == nil {
		return Answer{Ready: r.ready, Reply: demo.Reply{Status: r.status}}
	}
	r.draw.Reset(0)
	reply := demo.Reply{Status: r.status}
	if value, ok := r.draw.Make(r.field, "body"); ok {
		if body, err := json.Marshal(value); err == nil {
			reply.Header = []messages.Field{{Name: "Content-Type", Value: r.media}}
			reply.Body = body
		}
	}
	return Answer{Reply: reply}
}

// sent is the schema as it stands for what an API sends: what is only read belongs there, and what is only written
// does not.
func sent(s *document.Schema, seen map[*document.Schema]*document.Schema) *document.Schema {
	if s == nil {
		return nil
	}
	if c := seen[s]; c != nil {
		return c
	}
	c := new(document.Schema)
	seen[s] = c
	*c = *s
	c.ReadOnly, c.WriteOnly = s.WriteOnly, s.ReadOnly
	one := func(p **document.Schema) { *p = sent(*p, seen) }
	for _, p := range []**document.Schema{
		&c.Items, &c.Contains, &c.UnevaluatedItems, &c.AdditionalProperties, &c.PropertyNames, &c.UnevaluatedProps,
		&c.Not, &c.If, &c.Then, &c.Else,
	} {
		one(p)
	}
	for _, list := range []*[]*document.Schema{&c.PrefixItems, &c.AllOf, &c.OneOf, &c.AnyOf} {
		*list = append([]*document.Schema(nil), *list...)
		for i := range *list {
			one(&(*list)[i])
		}
	}
	for _, list := range []*[]document.Property{&c.Properties, &c.PatternProperties} {
		*list = append([]document.Property(nil), *list...)
		for i := range *list {
			one(&(*list)[i].Schema)
		}
	}
	c.DependentSchemas = sentOf(s.DependentSchemas, seen)
	if s.Discriminator != nil {
		d := *s.Discriminator
		d.Mapping = sentOf(d.Mapping, seen)
		c.Discriminator = &d
	}
	return c
}

func sentOf(named map[string]*document.Schema, seen map[*document.Schema]*document.Schema) map[string]*document.Schema {
	if named == nil {
		return nil
	}
	c := make(map[string]*document.Schema, len(named))
	for name, s := range named {
		c[name] = sent(s, seen)
	}
	return c
}
