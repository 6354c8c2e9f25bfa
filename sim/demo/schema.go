package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// schema is a schema of the document, as far as its requests need it.
type schema struct {
	Type                 string
	Format               string
	Pattern              string
	Nullable             bool
	ReadOnly             bool
	Enum                 []string
	Minimum, Maximum     *float64
	MinLength, MaxLength *int
	MinItems, MaxItems   *int
	Items                *schema
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties any

	pattern *regexp.Regexp
}

// prepare compiles the patterns.
func (s *schema) prepare() error {
	if s == nil {
		return nil
	}
	if s.Pattern != "" {
		pattern, err := regexp.Compile(s.Pattern)
		if err != nil {
			return err
		}
		s.pattern = pattern
	}
	for _, property := range s.Properties {
		if err := property.prepare(); err != nil {
			return err
		}
	}
	return s.Items.prepare()
}

// misfit says how a request's value, as decoded from JSON, does not fit the schema, "" if it does. What is readOnly
// is not looked at.
func (s *schema) misfit(value any, place string) string {
	switch value := value.(type) {
	case nil:
		if !s.Nullable {
			return place + " must not be null"
		}
		return ""
	case string:
		return s.misfitText(value, place)
	case json.Number:
		return s.misfitNumber(value, place)
	case bool:
		if s.Type != "boolean" {
			return place + " must be of type " + s.Type
		}
		return ""
	case []any:
		return s.misfitArray(value, place)
	case map[string]any:
		return s.misfitObject(value, place)
	default:
		return fmt.Sprintf("%s is a %T", place, value)
	}
}

func (s *schema) misfitText(text, place string) string {
	length := utf8.RuneCountInString(text)
	switch {
	case s.Type != "string":
		return place + " must be of type " + s.Type
	case s.Enum != nil && !slices.Contains(s.Enum, text):
		return place + " must be one of " + strings.Join(s.Enum, ", ")
	case s.MinLength != nil && length < *s.MinLength:
		return place + " is too short"
	case s.MaxLength != nil && length > *s.MaxLength:
		return place + " is too long"
	case s.pattern != nil && !s.pattern.MatchString(text):
		return place + " must match " + s.Pattern
	case !hasFormat(s.Format, text):
		return place + " must be of format " + s.Format
	default:
		return ""
	}
}

// address is what is taken for an e-mail address: fewer than RFC 5321 allows, and none that it does not.
var address = regexp.MustCompile(`^[\w!#$%&'*+/=?^{|}~-]+(\.[\w!#$%&'*+/=?^{|}~-]+)*@[A-Za-z0-9]+(-+[A-Za-z0-9]+)*(\.[A-Za-z0-9]+(-+[A-Za-z0-9]+)*)*$`)

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// isAddress says whether the text is taken for an e-mail address: one that is not too long either (RFC 5321 §4.5.3.1).
func isAddress(text string) bool {
	local, host, _ := strings.Cut(text, "@")
	tooLong := func(label string) bool { return len(label) > 63 }
	return address.MatchString(text) && len(text) <= 254 && len(local) <= 64 && !slices.ContainsFunc(strings.Split(host, "."), tooLong)
}

// hasFormat says whether the text has the format; one it does not know, every text has.
func hasFormat(format, text string) bool {
	switch format {
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case "email":
		return isAddress(text)
	case "uuid":
		return uuid.MatchString(text)
	default:
		return true
	}
}

func (s *schema) misfitNumber(number json.Number, place string) string {
	// Exactly: what is rounded to an integer, or to a bound, is none.
	_, err := number.Float64()
	value, exact := new(big.Rat).SetString(string(number))
	switch {
	case s.Type != "integer" && s.Type != "number":
		return place + " must be of type " + s.Type
	case err != nil || !exact:
		return place + " is out of all bounds"
	case s.Type == "integer" && !value.IsInt():
		return place + " must be an integer"
	case s.Format == "int64" && !value.Num().IsInt64():
		return place + " must be of format int64"
	case s.Minimum != nil && value.Cmp(decimal(*s.Minimum)) < 0:
		return place + " is too small"
	case s.Maximum != nil && value.Cmp(decimal(*s.Maximum)) > 0:
		return place + " is too large"
	default:
		return ""
	}
}

// decimal is the number as the document writes it.
func decimal(bound float64) *big.Rat {
	value, _ := new(big.Rat).SetString(strconv.FormatFloat(bound, 'g', -1, 64))
	return value
}

func (s *schema) misfitArray(items []any, place string) string {
	switch {
	case s.Type != "array":
		return place + " must be of type " + s.Type
	case s.MinItems != nil && len(items) < *s.MinItems:
		return place + " has too few items"
	case s.MaxItems != nil && len(items) > *s.MaxItems:
		return place + " has too many items"
	}
	for i, item := range items {
		if misfit := s.Items.misfit(item, place+"["+strconv.Itoa(i)+"]"); misfit != "" {
			return misfit
		}
	}
	return ""
}

func (s *schema) misfitObject(object map[string]any, place string) string {
	if s.Type != "object" {
		return place + " must be of type " + s.Type
	}
	for _, name := range s.Required {
		if _, given := object[name]; !given && !s.Properties[name].ReadOnly {
			return name + " is missing"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property := s.Properties[name]
		if property == nil {
			if s.AdditionalProperties == false {
				return name + " is not known"
			}
			continue
		}
		if property.ReadOnly {
			continue
		}
		if misfit := property.misfit(object[name], name); misfit != "" {
			return misfit
		}
	}
	return ""
}

// read reads a value that fits from the texts that stand for it in a path, a query, a header or a cookie.
func (s *schema) read(texts []string, place string) (any, string) {
	value, misfit := s.value(texts, place)
	if misfit != "" {
		return nil, misfit
	}
	return value, s.misfit(value, place)
}

// value is the value that the texts stand for, whether or not it fits.
func (s *schema) value(texts []string, place string) (any, string) {
	if s.Type == "array" {
		items := make([]any, len(texts))
		for i, text := range texts {
			items[i] = s.Items.readText(text)
		}
		return items, ""
	}
	if len(texts) > 1 {
		return nil, place + " is there more than once"
	}
	return s.readText(texts[0]), ""
}

var digits = regexp.MustCompile(`^-?[0-9]+$`)

// readText is the value a text stands for; the text itself if it stands for none of the schema's type.
func (s *schema) readText(text string) any {
	switch {
	case s.Type == "integer" && digits.MatchString(text):
		return json.Number(text)
	case s.Type == "boolean" && (text == "true" || text == "false"):
		return text == "true"
	default:
		return text
	}
}

// readForm reads the properties of a form (the HTML standard's application/x-www-form-urlencoded).
func (s *schema) readForm(text string) (map[string]any, string) {
	pairs, ok := readPairs(text)
	if !ok {
		return nil, "the content is not percent-encoded"
	}
	form := map[string]any{}
	for name, property := range s.Properties {
		texts := named(pairs, name)
		if len(texts) == 0 {
			continue
		}
		value, misfit := property.value(texts, name)
		if misfit != "" {
			return nil, misfit
		}
		form[name] = value
	}
	return form, ""
}

// fields are values by name, known to fit their schemas.
type fields map[string]any

func (f fields) has(name string) bool { return f[name] != nil }

// text is "" for one that was not given.
func (f fields) text(name string) string {
	text, _ := f[name].(string)
	return text
}

// textOrNil is nil for null, and for one that was not given.
func (f fields) textOrNil(name string) *string {
	if text, ok := f[name].(string); ok {
		return &text
	}
	return nil
}

// number is as it was written, "" for one that was not given.
func (f fields) number(name string) json.Number {
	number, _ := f[name].(json.Number)
	return number
}

// whole is an integer, or the fallback for one that was not given. One beyond an int64 is read as the last there is.
func (f fields) whole(name string, fallback int64) int64 {
	if number, ok := f[name].(json.Number); ok {
		return whole(number)
	}
	return fallback
}

func whole(number json.Number) int64 {
	if n, err := number.Int64(); err == nil {
		return n
	}
	value, _ := number.Float64() // such as 1e3 and 12.0
	if math.Abs(value) >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(value)
}

func (f fields) flag(name string) bool {
	flag, _ := f[name].(bool)
	return flag
}

// texts are the items of an array of text.
func (f fields) texts(name string) []string {
	items, _ := f[name].([]any)
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i], _ = item.(string)
	}
	return texts
}
