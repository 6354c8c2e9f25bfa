package generator

import (
	"fmt"
	"maps"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/generator/values"
)

// signUp builds the request that signs up a user of the run's own, or the one that signs it in, nil if it cannot be.
func (g *Generator) signUp(l *login) *messages.Request {
	spec := l.spec.SignUp
	operation := l.operation()
	p := g.plans[operation]
	if p == nil || p.body == nil || len(p.body.contents) == 0 {
		return nil
	}
	p.carried = g.carriedBy(p, 0)
	c, d, want := p.body.contents[0], g.draw, asked{likeliest: true}
	for attempt := range tries {
		// The values hang on the attempt at a user, not on how many requests the operation has had.
		g.sow(operation, -1-l.attempt, attempt)
		d.Reset(p.room)
		d.Likeliest = true
		value, ok := d.Make(&c.field, "body")
		object, isObject := value.(map[string]any)
		if !ok || !isObject {
			continue
		}
		object = maps.Clone(object) // it may be an example of the document's
		if l.creates() {
			g.ownUser(l, c.field.Shape, object)
		} else {
			for _, f := range spec.Fills {
				setAt(object, f.To, l.values[strings.Join(f.From, "/")])
			}
		}
		r := &messages.Request{Operation: operation, Method: p.op.Method, Target: p.target}
		if p.target == "" {
			target, ok := p.writeTarget(g, g.target[:0], want)
			if g.target = target; !ok {
				continue
			}
			r.Target = string(target)
		}
		var contentType string
		if r.Body, contentType, ok = c.encode(d, object); !ok {
			continue
		}
		if r.Header, ok = p.writeHeader(g, contentType, want); !ok {
			continue
		}
		r.Origins = append(d.Origins, p.keyOrigins...)
		return r
	}
	return nil
}

// ownUser makes the content that of a user nobody has: names that are there once, and a password that most APIs take.
// What it was made of is kept for the sign-in.
func (g *Generator) ownUser(l *login, shape *values.Shape, object map[string]any) {
	spec := l.spec.SignUp
	l.values = map[string]string{}
	keep := func(path []string, of *values.Shape, wanted ...string) string {
		for _, text := range wanted {
			if of == nil || of.Fits(text) {
				setAt(object, path, text)
				break
			}
		}
		text, _ := valueAt(object, path).(string)
		l.values[strings.Join(path, "/")] = text
		return text
	}
	name := word(g.draw.Rand, 10)
	for i, path := range spec.Names {
		last := strings.ToLower(path[len(path)-1])
		text := ""
		if of := shapeAt(shape, path); strings.Contains(last, "mail") {
			text = keep(path, of, "restest-"+name+"@example.com", name+"@example.com")
		} else if strings.Contains(last, "phone") {
			text = keep(path, of)
		} else {
			text = keep(path, of, "restest-"+name, "restest"+name, name, name[:6])
		}
		if i == 0 {
			l.values[nameValue] = text
		}
	}
	secret := fmt.Sprintf("Rt%s-%d!", name, 1000+g.draw.Rand.IntN(9000))
	l.values[passwordValue] = keep(spec.Password, shapeAt(shape, spec.Password), secret, "Rt"+name[:6]+"1!", "Rt"+name[:6]+"11")
}

// shapeAt is the shape of the property at the path, nil where there is none.
func shapeAt(s *values.Shape, path []string) *values.Shape {
	for _, name := range path {
		if s == nil {
			return nil
		}
		s = s.Property(name)
	}
	return s
}

// setAt sets the property at the path; what is not an object on the way becomes one.
func setAt(object map[string]any, path []string, text string) {
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if inner = maps.Clone(inner); !ok {
			inner = map[string]any{}
		}
		object[name] = inner
		object = inner
	}
	object[path[len(path)-1]] = text
}

func valueAt(object map[string]any, path []string) any {
	var v any = object
	for _, name := range path {
		o, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = o[name]
	}
	return v
}

// carried is what the requests of one user's to an operation carry of credentials, each last in its place.
type carried struct {
	// keys are all of them, the others those of a place.
	keys, queryKeys, cookieKeys []credentials.Placed
	// last are the header fields of the keys, all these and those that never change together, shared between requests
	// where nothing else is added.
	last, all []messages.Field
	// keyOrigins are the origins of the keys.
	keyOrigins []messages.Origin
	// target is the target where nothing of it changes, "" else.
	target string
	// version is that of what the sign-ins had obtained.
	version int
}

// take sorts a credential by its place; one that is not there yet has no value.
func (c *carried) take(k credentials.Placed) {
	if k.Value == "" {
		return
	}
	c.keys = append(c.keys, k)
	switch k.In {
	case "query":
		c.queryKeys = append(c.queryKeys, k)
	case "cookie":
		c.cookieKeys = append(c.cookieKeys, k)
	default:
		c.last = append(c.last, messages.Field{Name: k.Name, Value: k.Value})
	}
	c.keyOrigins = append(c.keyOrigins, messages.Origin{Place: k.In + "." + k.Name, Source: "key"})
}

// carriedBy is what the user's requests to the plan's operation carry by now.
func (g *Generator) carriedBy(p *plan, user int) *carried {
	if g.signIns == nil {
		return p.carried
	}
	for len(p.carries) <= user {
		p.carries = append(p.carries, nil)
	}
	if c := p.carries[user]; c != nil && c.version == g.signIns.version {
		return c
	}
	c := p.carry(g.config.Keys.For(g.config.Document, p.op, user, g.signIns.granted))
	c.version = g.signIns.version
	p.carries[user] = c
	return c
}
