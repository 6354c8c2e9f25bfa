package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// A reader takes requests apart again and judges what it finds by the document. It knows OpenAPI and RFC 6570, and shares
// no code with what writes requests: where the two disagree, one of them is wrong.
type reader struct {
	judge *document.Judge
	// texts has a text that could be a number or a truth value read as text where it fits as both.
	texts bool
	// scalars has a value that could be a list or an object read as neither.
	scalars bool
	// overlapping counts values that fit several branches of a oneOf, which a discriminator would tell apart.
	overlapping int
	// loose are the schemas that relaxed made.
	loose map[*document.Schema]*document.Schema
	// judged counts the parameters and bodies that were judged, unjudged those the judge cannot tell of.
	judged, unjudged int
}

// request says what is wrong with a request that is called valid.
func (d *reader) request(op *document.Operation, r *messages.Request) error {
	path, query, _ := strings.Cut(r.Target, "?")
	for _, f := range r.Header {
		if strings.ContainsFunc(f.Value, func(c rune) bool { return c < ' ' || c > '~' }) || strings.TrimSpace(f.Value) != f.Value {
			return fmt.Errorf("the field %s: %q cannot be sent", f.Name, f.Value)
		}
		switch strings.ToLower(f.Name) {
		case "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive", "proxy-connection":
			return fmt.Errorf("the field %s is not a document's to set", f.Name)
		}
	}
	if _, err := url.ParseRequestURI(r.Target); err != nil {
		return err
	}
	if i := strings.IndexFunc(r.Target, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("\"#<>\\^`{|}", c) }); i >= 0 {
		return fmt.Errorf("the target %s holds %q", r.Target, r.Target[i])
	}
	for _, step := range []func() error{
		func() error { return d.path(op, path) },
		func() error { return d.query(op, query) },
		func() error { return d.headers(op.Parameters, r.Header) },
		func() error { return d.cookies(op, messages.Values(r.Header, "Cookie")) },
		func() error { return d.body(op, r) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fits judges a value by its schema, read in each way that its text can be.
func (d *reader) fits(s *document.Schema, read func() (any, error)) error {
	var first error
	for _, way := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		d.texts, d.scalars = way[0], way[1]
		v, err := read()
		if err == nil {
			err = d.verdict(s, v)
		}
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func (d *reader) verdict(s *document.Schema, v any) error {
	faults, err := d.judge.Judge(s, document.InRequest, v)
	if err != nil {
		d.unjudged++
		return nil
	}
	d.judged++
	if len(faults) == 0 {
		return nil
	}
	if again, err := d.judge.Judge(d.relaxed(s), document.InRequest, v); err != nil || len(again) > 0 {
		shown, _ := json.Marshal(v)
		return fmt.Errorf("%s %s: %.200s", faults[0].Pointer, faults[0].Message, shown)
	}
	d.overlapping++
	return nil
}

// relaxed is the schema with each oneOf made an anyOf.
func (d *reader) relaxed(s *document.Schema) *document.Schema {
	if s == nil {
		return nil
	}
	if known := d.loose[s]; known != nil {
		return known
	}
	loose := *s
	if d.loose == nil {
		d.loose = map[*document.Schema]*document.Schema{}
	}
	d.loose[s] = &loose
	list := func(schemas []*document.Schema) []*document.Schema {
		var all []*document.Schema
		for _, one := range schemas {
			all = append(all, d.relaxed(one))
		}
		return all
	}
	loose.AllOf, loose.OneOf, loose.AnyOf, loose.PrefixItems = list(s.AllOf), nil, list(s.AnyOf), list(s.PrefixItems)
	if branches := list(s.OneOf); len(s.AnyOf) == 0 {
		loose.AnyOf = branches
	} else {
		loose.AllOf = append(loose.AllOf, union(branches))
	}
	loose.Discriminator = nil // it leads to the strict ones
	loose.Items, loose.AdditionalProperties = d.relaxed(s.Items), d.relaxed(s.AdditionalProperties)
	loose.Properties = slices.Clone(s.Properties)
	for i := range loose.Properties {
		loose.Properties[i].Schema = d.relaxed(loose.Properties[i].Schema)
	}
	return &loose
}

// parts are the schema and all that its combiners lead to for the same value.
func parts(s *document.Schema) []*document.Schema {
	var all []*document.Schema
	var add func(s *document.Schema)
	add = func(s *document.Schema) {
		if s == nil || slices.Contains(all, s) {
			return
		}
		all = append(all, s)
		for _, list := range [][]*document.Schema{s.AllOf, s.OneOf, s.AnyOf, {s.Then, s.Else}} {
			for _, branch := range list {
				add(branch)
			}
		}
	}
	add(s)
	return all
}

// union is fitted by what fits one of the schemas.
func union(schemas []*document.Schema) *document.Schema {
	return &document.Schema{
		AnyOf: schemas, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinContains: -1, MaxContains: -1,
		MinProperties: -1, MaxProperties: -1,
	}
}

// may says whether the schema seems to be of values of the type.
func may(s *document.Schema, name string) bool {
	return slices.ContainsFunc(parts(s), func(p *document.Schema) bool {
		return slices.Contains(p.Types, name) || len(p.Types) == 0 && (name == "array" && p.Items != nil || name == "object" && len(p.Properties) > 0) ||
			slices.ContainsFunc(p.Enum, func(v any) bool { return ofType(v, name) })
	})
}

func ofType(v any, name string) bool {
	switch v.(type) {
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// of are the schemas that the schemas have for a member.
func of(schemas []*document.Schema, name string) []*document.Schema {
	var found []*document.Schema
	for _, s := range schemas {
		for _, p := range parts(s) {
			declared := false
			for _, property := range p.Properties {
				if property.Name == name {
					found, declared = append(found, property.Schema), true
				}
			}
			for _, property := range p.PatternProperties {
				found = append(found, property.Schema)
			}
			if !declared && p.AdditionalProperties != nil && p.AdditionalProperties.Always == nil {
				found = append(found, p.AdditionalProperties)
			}
		}
	}
	return found
}

// items are the schemas that the schemas have for the i-th item.
func items(schemas []*document.Schema, i int) []*document.Schema {
	var found []*document.Schema
	for _, s := range schemas {
		for _, p := range parts(s) {
			if i < len(p.PrefixItems) {
				found = append(found, p.PrefixItems[i])
			} else if p.Items != nil {
				found = append(found, p.Items)
			}
		}
	}
	return found
}

// declares says whether the schema names the property.
func declares(s *document.Schema, name string) bool {
	return slices.ContainsFunc(parts(s), func(p *document.Schema) bool {
		return slices.ContainsFunc(p.Properties, func(q document.Property) bool { return q.Name == name })
	})
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// leaf is the text as the value it stands for: the first reading that fits one of the schemas.
func (d *reader) leaf(text string, schemas []*document.Schema) any {
	readings := []any{text}
	switch {
	case number.MatchString(text):
		readings = append(readings, json.Number(text))
	case text == "true", text == "false":
		readings = append(readings, text == "true")
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		if v, err := decode(text); err == nil {
			readings = append(readings, v)
		}
	}
	if !d.texts {
		slices.Reverse(readings)
	}
	for _, v := range readings {
		for _, s := range schemas {
			if faults, err := d.judge.Judge(s, document.InRequest, v); err != nil || len(faults) == 0 {
				return v
			}
		}
	}
	return text
}

func (d *reader) leaves(texts []string, schemas []*document.Schema) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = d.leaf(text, items(schemas, i))
	}
	return list
}

func decode(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something stands behind the JSON value in %.100q", text)
	}
	return v, nil
}

func unescaped(texts []string) ([]string, error) {
	plain := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if plain[i], err = url.PathUnescape(text); err != nil {
			return nil, err
		}
	}
	return plain, nil
}

// value reads what one text holds for a parameter: a scalar, a list whose items commas (or another delimiter) join, an
// object as name, value, name, value or as name=value.
func (d *reader) value(raw, delimiter string, explode bool, s *document.Schema) (any, error) {
	fields, err := unescaped(strings.Split(raw, delimiter))
	if err != nil {
		return nil, err
	}
	schemas := []*document.Schema{s}
	switch {
	case !d.scalars && may(s, "array"):
		return d.leaves(fields, schemas), nil
	case !d.scalars && may(s, "object"):
		o := map[string]any{}
		if explode {
			for _, pair := range strings.Split(raw, delimiter) {
				name, value, found := strings.Cut(pair, "=")
				if !found {
					return nil, fmt.Errorf("%q is no name=value", pair)
				}
				plain, err := unescaped([]string{name, value})
				if err != nil {
					return nil, err
				}
				o[plain[0]] = d.leaf(plain[1], of(schemas, plain[0]))
			}
			return o, nil
		}
		if len(fields)%2 != 0 {
			return nil, fmt.Errorf("%q is no list of names and values", raw)
		}
		for i := 0; i < len(fields); i += 2 {
			o[fields[i]] = d.leaf(fields[i+1], of(schemas, fields[i]))
		}
		return o, nil
	}
	text, err := url.PathUnescape(raw)
	if err != nil {
		return nil, err
	}
	return d.leaf(text, schemas), nil
}

// content reads a value that is written in a media type.
func (d *reader) content(mediaType, text string, s *document.Schema, encoding map[string]document.Encoding) (any, error) {
	switch essence := document.Essence(mediaType); {
	case essence == "application/x-www-form-urlencoded":
		return d.form(text, s, encoding)
	case strings.HasSuffix(essence, "json"):
		return decode(text)
	case strings.HasSuffix(essence, "xml"):
		return d.xml([]byte(text), s)
	}
	return d.leaf(text, []*document.Schema{s}), nil
}

var gapInPath = regexp.MustCompile(`\{([^{}]*)\}`)

func (d *reader) path(op *document.Operation, path string) error {
	for segment := range strings.SplitSeq(path, "/") {
		if plain, err := url.PathUnescape(segment); err != nil || plain == "." || plain == ".." {
			return fmt.Errorf("the path %s holds the segment %q, %w", path, segment, err)
		}
	}
	pattern, at := "^", 0
	literal := func(text string) string {
		var b strings.Builder
		for i := range len(text) {
			if c := text[i]; c <= ' ' || c > '~' || strings.IndexByte("\"#<>\\^`{|}", c) >= 0 {
				fmt.Fprintf(&b, "%%%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
		return regexp.QuoteMeta(b.String())
	}
	var names []string
	template := op.BasePath + op.Path
	for _, gap := range gapInPath.FindAllStringSubmatchIndex(template, -1) {
		pattern += literal(template[at:gap[0]]) + "([^/]+?)"
		names = append(names, template[gap[2]:gap[3]])
		at = gap[1]
	}
	found := regexp.MustCompile(pattern + literal(template[at:]) + "$").FindStringSubmatch(path)
	if found == nil {
		return fmt.Errorf("the path %s is not built from %s", path, template)
	}
	for i, name := range names {
		at := slices.IndexFunc(op.Parameters, func(p *document.Parameter) bool { return p.In == "path" && p.Name == name })
		if at < 0 {
			return fmt.Errorf("{%s} is not declared", name)
		}
		p, raw := op.Parameters[at], found[i+1]
		if err := d.fits(p.Schema, func() (any, error) { return d.pathValue(p, raw) }); err != nil {
			return fmt.Errorf("path.%s is %s: %w", name, raw, err)
		}
	}
	return nil
}

func (d *reader) pathValue(p *document.Parameter, raw string) (any, error) {
	if p.Content != "" {
		text, err := url.PathUnescape(raw)
		if err != nil {
			return nil, err
		}
		return d.content(p.Content, text, p.Schema, p.Encoding)
	}
	switch p.Style {
	case "label":
		rest, ok := strings.CutPrefix(raw, ".")
		if !ok {
			return nil, errors.New("a label begins with a dot")
		}
		if !p.Explode || !may(p.Schema, "array") && !may(p.Schema, "object") {
			return d.value(rest, ",", false, p.Schema)
		}
		return d.value(rest, ".", true, p.Schema)
	case "matrix":
		rest, ok := strings.CutPrefix(raw, ";")
		if !ok {
			return nil, errors.New("a matrix parameter begins with a semicolon")
		}
		if p.Explode && may(p.Schema, "object") {
			return d.value(rest, ";", true, p.Schema)
		}
		var texts []string
		for pair := range strings.SplitSeq(rest, ";") {
			name, value, _ := strings.Cut(pair, "=")
			if plain, err := url.PathUnescape(name); err != nil || plain != p.Name {
				return nil, fmt.Errorf("%s is called %q", p.Name, name)
			}
			texts = append(texts, value)
		}
		return d.value(strings.Join(texts, ","), ",", false, p.Schema)
	}
	return d.value(raw, ",", p.Explode, p.Schema)
}

// pair is one name=value of a query or a form; the value is as it came.
type pair struct {
	name, raw string
	used      bool
}

func pairsOf(text, separator string) ([]*pair, error) {
	var pairs []*pair
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, separator) {
		name, raw, found := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil || !found || plain == "" {
			return nil, fmt.Errorf("%q is no name=value, %w", part, err)
		}
		pairs = append(pairs, &pair{name: plain, raw: raw})
	}
	return pairs, nil
}

var delimiters = map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}

// take reads a parameter of that style from the pairs, and marks those it took. free names those that any object may take.
func (d *reader) take(pairs []*pair, name, style string, explode bool, s *document.Schema, free func(string) bool) (v any, there bool, err error) {
	var own []*pair
	for _, p := range pairs {
		if p.name == name {
			own = append(own, p)
		}
	}
	list, object := !d.scalars && may(s, "array"), !d.scalars && may(s, "object")
	mark := func(taken []*pair) {
		for _, p := range taken {
			p.used = true
		}
	}
	if style == "deepObject" {
		tree := map[string]any{}
		for _, p := range pairs {
			rest, ok := strings.CutPrefix(p.name, name+"[")
			if !ok {
				continue
			}
			text, err := url.QueryUnescape(p.raw)
			if err != nil {
				return nil, false, err
			}
			p.used, there = true, true
			put(tree, strings.Split(strings.TrimSuffix(rest, "]"), "]["), text)
		}
		if there {
			return d.grown(tree, []*document.Schema{s}), true, nil
		}
		list, object = false, false
	}
	if explode && object && len(own) == 0 {
		o := map[string]any{}
		for _, p := range pairs {
			if !declares(s, p.name) && !free(p.name) || p.used {
				continue
			}
			text, err := url.QueryUnescape(p.raw)
			if err != nil {
				return nil, false, err
			}
			p.used = true
			o[p.name] = d.leaf(text, of([]*document.Schema{s}, p.name))
		}
		return o, len(o) > 0, nil
	}
	mark(own)
	switch {
	case len(own) == 0:
		return nil, false, nil
	case list && explode && (len(own) > 1 || !object):
		var texts []string
		for _, p := range own {
			text, err := url.QueryUnescape(p.raw)
			if err != nil {
				return nil, false, err
			}
			texts = append(texts, text)
		}
		return d.leaves(texts, []*document.Schema{s}), true, nil
	case len(own) > 1:
		return nil, false, fmt.Errorf("%s is there %d times", name, len(own))
	case list || object:
		delimiter := delimiters[style]
		if delimiter == "" {
			delimiter = ","
		}
		v, err := d.value(own[0].raw, delimiter, false, s)
		return v, true, err
	}
	text, err := url.QueryUnescape(own[0].raw)
	return d.leaf(text, []*document.Schema{s}), true, err
}

// put puts a text into a tree of objects.
func put(tree map[string]any, path []string, text string) {
	if len(path) == 1 {
		tree[path[0]] = text
		return
	}
	inner, _ := tree[path[0]].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		tree[path[0]] = inner
	}
	put(inner, path[1:], text)
}

// grown is a tree with its texts read, and a list where the members are numbered and a list is meant.
func (d *reader) grown(v any, schemas []*document.Schema) any {
	tree, ok := v.(map[string]any)
	if !ok {
		return d.leaf(v.(string), schemas)
	}
	isList := slices.ContainsFunc(schemas, func(s *document.Schema) bool { return may(s, "array") })
	for i := range len(tree) {
		_, there := tree[strconv.Itoa(i)]
		isList = isList && there
	}
	if isList {
		list := make([]any, len(tree))
		for i := range list {
			list[i] = d.grown(tree[strconv.Itoa(i)], items(schemas, i))
		}
		return list
	}
	o := map[string]any{}
	for name, w := range tree {
		o[name] = d.grown(w, of(schemas, name))
	}
	return o
}

func (d *reader) query(op *document.Operation, query string) error {
	at := slices.IndexFunc(op.Parameters, func(p *document.Parameter) bool { return p.In == "querystring" })
	if at >= 0 {
		p := op.Parameters[at]
		if query == "" && !p.Required {
			return nil
		}
		return d.fits(p.Schema, func() (any, error) {
			if strings.HasPrefix(p.Content, "application/x-www-form-urlencoded") {
				return d.form(query, p.Schema, p.Encoding)
			}
			text, err := url.QueryUnescape(query)
			if err != nil {
				return nil, err
			}
			return d.content(p.Content, text, p.Schema, nil)
		})
	}
	pairs, err := pairsOf(query, "&")
	if err != nil {
		return err
	}
	named := func(name string) bool {
		return slices.ContainsFunc(op.Parameters, func(p *document.Parameter) bool {
			return p.In == "query" && (p.Name == name || declares(p.Schema, name))
		})
	}
	for _, free := range []bool{false, true} { // first what is declared, then what may have any name
		for _, p := range op.Parameters {
			open := p.Explode && may(p.Schema, "object") && p.Style != "deepObject"
			if p.In != "query" || open != free {
				continue
			}
			if err := d.queryParameter(p, pairs, func(name string) bool { return open && !named(name) }); err != nil {
				return fmt.Errorf("query.%s: %w", p.Name, err)
			}
		}
	}
	for _, p := range pairs {
		if !p.used {
			return fmt.Errorf("nobody declares %s=%s", p.name, p.raw)
		}
	}
	return nil
}

func (d *reader) queryParameter(p *document.Parameter, pairs []*pair, free func(string) bool) error {
	if p.AllowEmpty {
		for _, own := range pairs {
			if own.name == p.Name && own.raw == "" {
				own.used = true
				return nil
			}
		}
	}
	if p.Content != "" {
		for _, own := range pairs {
			if own.name == p.Name {
				own.used = true
				return d.fits(p.Schema, func() (any, error) {
					text, err := url.QueryUnescape(own.raw)
					if err != nil {
						return nil, err
					}
					return d.content(p.Content, text, p.Schema, p.Encoding)
				})
			}
		}
	}
	before := make([]bool, len(pairs))
	for i, own := range pairs {
		before[i] = own.used
	}
	there := false
	err := d.fits(p.Schema, func() (any, error) {
		for i, own := range pairs {
			own.used = before[i]
		}
		var v any
		var err error
		if v, there, err = d.take(pairs, p.Name, p.Style, p.Explode, p.Schema, free); err == nil && !there {
			err = errAbsent
		}
		return v, err
	})
	if errors.Is(err, errAbsent) && !p.Required {
		return nil
	}
	return err
}

var errAbsent = errors.New("it is not there")

func (d *reader) headers(parameters []*document.Parameter, fields []messages.Field) error {
	for _, p := range parameters {
		if p.In != "header" {
			continue
		}
		sent := messages.Values(fields, p.Name)
		ours := slices.Contains([]string{"user-agent", "cookie"}, strings.ToLower(p.Name))
		switch {
		case len(sent) == 0 && p.Required && !ours:
			return fmt.Errorf("header.%s is not there", p.Name)
		case len(sent) > 1:
			return fmt.Errorf("header.%s is there %d times", p.Name, len(sent))
		case len(sent) == 0, ours:
			continue
		}
		err := d.fits(p.Schema, func() (any, error) {
			if p.Content != "" {
				return d.content(p.Content, sent[0], p.Schema, p.Encoding)
			}
			// Nothing is percent-encoded here, so that nothing is to be decoded.
			return d.value(strings.ReplaceAll(sent[0], "%", "%25"), ",", p.Explode, p.Schema)
		})
		if err != nil {
			return fmt.Errorf("header.%s: %w", p.Name, err)
		}
	}
	return nil
}

func (d *reader) cookies(op *document.Operation, lines []string) error {
	if len(lines) > 1 {
		return fmt.Errorf("there are %d Cookie fields", len(lines))
	}
	pairs, err := pairsOf(strings.Join(lines, ""), "; ")
	if err != nil {
		return err
	}
	for _, p := range op.Parameters {
		if p.In != "cookie" {
			continue
		}
		if p.Style == "cookie" {
			for _, own := range pairs {
				own.raw = strings.NewReplacer("%", "%25", "+", "%2B").Replace(own.raw)
			}
		}
		if err := d.queryParameter(p, pairs, func(string) bool { return true }); err != nil {
			return fmt.Errorf("cookie.%s: %w", p.Name, err)
		}
	}
	return nil
}

// form reads an object from pairs: each property in the style its encoding gives, else an object or a list of objects as
// name[member]=value, and all others as form pairs.
func (d *reader) form(text string, s *document.Schema, encoding map[string]document.Encoding) (any, error) {
	pairs, err := pairsOf(text, "&")
	if err != nil {
		return nil, err
	}
	o := map[string]any{}
	for _, p := range pairs {
		name, _, nested := strings.Cut(p.name, "[")
		if p.used {
			continue
		}
		schemas := of([]*document.Schema{s}, name)
		if declares(s, p.name) {
			name, nested, schemas = p.name, false, of([]*document.Schema{s}, p.name)
		}
		merged := union(schemas)
		e := encoding[name]
		style, explode := "form", true
		if e.Style != "" {
			style, explode = e.Style, e.Style == "form" || e.Style == "deepObject"
		}
		if nested {
			style, explode = "deepObject", true
		}
		if e.Explode != nil {
			explode = *e.Explode
		}
		if e.ContentType != "" && e.Style == "" && !nested {
			p.used = true
			text, err := url.QueryUnescape(p.raw)
			if err != nil {
				return nil, err
			}
			if o[name], err = d.content(e.ContentType, text, merged, nil); err != nil {
				return nil, err
			}
			continue
		}
		v, there, err := d.take(pairs, name, style, explode, merged, func(string) bool { return false })
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, fmt.Errorf("nobody declares %s", p.name)
		}
		o[name] = v
	}
	return o, nil
}

func (d *reader) body(op *document.Operation, r *messages.Request) error {
	contentType := messages.Get(r.Header, "Content-Type")
	switch {
	case op.Body == nil && r.Body != nil:
		return errors.New("there is a body, and none is declared")
	case op.Body == nil:
		return nil
	case r.Body == nil && op.Body.Required:
		return errors.New("there is no body")
	case r.Body == nil:
		if contentType != "" {
			return fmt.Errorf("there is a Content-Type %s without a body", contentType)
		}
		return nil
	}
	essence, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	var first error
	for _, m := range op.Body.Media {
		if !covers(m.Type, essence) {
			continue
		}
		err := d.fits(m.Schema, func() (any, error) { return d.readBody(m, essence, parameters["boundary"], r.Body) })
		if err == nil {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("the body as %s: %w: %.200q", m.Type, err, r.Body)
		}
	}
	if first == nil {
		first = fmt.Errorf("no body of type %s is declared", contentType)
	}
	return first
}

// covers says whether the declared type or range holds the media type.
func covers(declared, essence string) bool {
	declared = strings.ToLower(document.Essence(declared))
	if kind, _, isRange := strings.Cut(declared, "*"); isRange {
		return strings.HasPrefix(essence, strings.TrimSuffix(kind, "/")) // also application/*+json
	}
	return declared == essence
}

func (d *reader) readBody(m *document.Media, essence, boundary string, body []byte) (any, error) {
	switch {
	case strings.HasPrefix(essence, "multipart/"):
		return d.multipart(m, boundary, body)
	case strings.HasSuffix(essence, "/json"), strings.HasSuffix(essence, "+json"), strings.HasSuffix(essence, "yaml"):
		return decode(string(body))
	case strings.HasSuffix(essence, "json-seq"), strings.Contains(essence, "ndjson"), strings.Contains(essence, "jsonl"):
		list := []any{}
		for line := range strings.Lines(string(body)) {
			if strings.HasSuffix(essence, "json-seq") {
				if line[0] != 0x1e {
					return nil, errors.New("a text of a sequence begins with a record separator")
				}
				line = line[1:]
			}
			v, err := decode(line)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		if !may(m.Schema, "array") && len(list) == 1 {
			return list[0], nil
		}
		return list, nil
	case essence == "application/x-www-form-urlencoded":
		return d.form(string(body), m.Schema, m.Encoding)
	case may(m.Schema, "string") || m.Schema == nil:
		if may(m.Schema, "string") && !isBinary(m.Schema) && !strings.HasSuffix(essence, "xml") {
			return d.leaf(string(body), []*document.Schema{m.Schema}), nil
		}
		if low, high := sizes(m.Schema); low == 0 && high < 0 {
			if err := checkFile(essence, body); err != nil {
				return nil, err
			}
		}
		if strings.HasSuffix(essence, "xml") && !isBinary(m.Schema) {
			return d.xml(body, m.Schema)
		}
		return octets(body), nil
	case strings.HasSuffix(essence, "xml"):
		return d.xml(body, m.Schema)
	}
	return d.leaf(string(body), []*document.Schema{m.Schema}), nil
}

// octets are bytes as a text whose length is theirs.
func octets(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}

func isBinary(s *document.Schema) bool {
	return slices.ContainsFunc(parts(s), func(p *document.Schema) bool {
		return p.Format == "binary" || p.ContentMediaType != "" && p.ContentEncoding == ""
	})
}

func sizes(s *document.Schema) (low, high int64) {
	high = -1
	for _, p := range parts(s) {
		low = max(low, p.MinLength)
		high = max(high, p.MaxLength)
	}
	return low, high
}

// multipart reads an object from parts with names, a list from parts without.
func (d *reader) multipart(m *document.Media, boundary string, body []byte) (any, error) {
	o, list := map[string]any{}, []any(nil)
	for r := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return nil, err
		}
		_, disposition, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
		name := disposition["name"]
		if err != nil || name == "" {
			schemas := items([]*document.Schema{m.Schema}, len(list))
			v, err := d.part(p, data, schemas)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			continue
		}
		schemas := of([]*document.Schema{m.Schema}, name)
		isList := slices.ContainsFunc(schemas, func(s *document.Schema) bool { return may(s, "array") })
		e := m.Encoding[name]
		if isList && !strings.Contains(e.ContentType, "json") && (e.Explode == nil || *e.Explode) {
			earlier, _ := o[name].([]any)
			v, err := d.part(p, data, items(schemas, len(earlier)))
			if err != nil {
				return nil, err
			}
			o[name] = append(earlier, v)
		} else if isList && e.Explode != nil && e.Style != "" {
			delimiter, err := url.PathUnescape(delimiters[e.Style])
			if err != nil {
				return nil, err
			}
			if delimiter == "" {
				delimiter = ","
			}
			o[name] = d.leaves(strings.Split(string(data), delimiter), schemas)
		} else if _, twice := o[name]; twice {
			return nil, fmt.Errorf("the part %s is there twice", name)
		} else if o[name], err = d.part(p, data, schemas); err != nil {
			return nil, err
		}
		var fields []messages.Field
		for _, h := range e.Headers {
			for _, value := range p.Header.Values(h.Name) {
				fields = append(fields, messages.Field{Name: h.Name, Value: value})
			}
		}
		if err := d.headers(e.Headers, fields); err != nil {
			return nil, fmt.Errorf("the part %s: %w", name, err)
		}
	}
	if list != nil {
		return list, nil
	}
	return o, nil
}

func (d *reader) part(p *multipart.Part, data []byte, schemas []*document.Schema) (any, error) {
	contentType := p.Header.Get("Content-Type")
	if p.FileName() != "" {
		if low, high := sizes(union(schemas)); low == 0 && high < 0 {
			if err := checkFile(document.Essence(contentType), data); err != nil {
				return nil, err
			}
		}
		return octets(data), nil
	}
	switch {
	case strings.HasSuffix(contentType, "json"):
		return decode(string(data))
	case strings.HasSuffix(contentType, "xml"):
		return d.xml(data, union(schemas))
	}
	return d.leaf(string(data), schemas), nil
}
