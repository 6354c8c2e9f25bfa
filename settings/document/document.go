// Package document reads an OpenAPI document, 2.0 to 3.2, into plain values: operations, parameters, bodies,
// schemas, and every problem found with its place.
package document

import (
	"math/big"
)

// Document is an OpenAPI document as it was read. It is not changed after Load has returned it, so that every
// stage may read it.
type Document struct {
	// Source is where it was read from: a file, a URL or "-".
	Source string
	// Dialect is the version the document names, such as "2.0" or "3.0.3".
	Dialect string
	Title   string
	Version string
	// Origin is scheme, host and port of the API, such as "http://127.0.0.1:8080"; every operation that can be
	// tested is at this origin.
	Origin string
	// Address is the origin with the base path, for people to read.
	Address string
	// Operations in the order of the document; an operation's Index is its place here.
	Operations []*Operation
	Schemes    []Scheme
	// Issues are the problems found, in the order of their place.
	Issues []Issue
	// unevaluated is true if a schema asks what of an array the others have left over.
	unevaluated bool
	// source is for Validate.
	source source
}

// Operation is one method of one path.
type Operation struct {
	Index int
	// ID is the operationId, or "METHOD /path" where the document gives none (or gives one twice).
	ID     string
	Method string
	// Path is the path template as the document writes it, such as "/pets/{petId}".
	Path string
	// BasePath goes before the path: "" or "/v1", never with a slash at its end.
	BasePath    string
	Tags        []string
	Summary     string
	Description string
	Deprecated  bool
	// Parameters, with each (name, place) once: the operation's own wins over its path's.
	Parameters []*Parameter
	// Body is nil where none is declared.
	Body *Body
	// Responses in the order of the document.
	Responses []*Response
	// Security lists the alternatives; each is the schemes needed together. Empty: none is needed. An empty
	// alternative means that no credentials will do as well.
	Security [][]Requirement
	// Untestable says why no request can be built for it, "" where one can.
	Untestable string
	// SignIn is true for one that the document does not declare: requests to sign in go there, and no others.
	SignIn bool
	// Place is where it stands.
	Place Place
}

// Requirement is one scheme an alternative needs.
type Requirement struct {
	Scheme string // a name in Document.Schemes
	Scopes []string
}

// Scheme is a security scheme.
type Scheme struct {
	Name string
	// Type is "apiKey", "http", "oauth2", "openIdConnect" or "mutualTLS".
	Type string
	// In and Key are, for an apiKey, the place ("query", "header", "cookie") and the name it goes by.
	In, Key string
	// HTTP is, for type http, the authentication scheme in small letters: "basic", "bearer", …
	HTTP string
	// TokenURL is, for oauth2, the token endpoint of the client_credentials or password flow; PasswordTokenURL that of the
	// password flow where it has one of its own.
	TokenURL, PasswordTokenURL string
}

// Parameter is one declared parameter.
type Parameter struct {
	Name string
	// In is "path", "query", "header" or "cookie", or "querystring" for the whole query (OpenAPI 3.2).
	In       string
	Required bool
	// Style and Explode say how its value is written; both are worked out where the document leaves them open.
	// Besides the styles of OpenAPI 3 there is "tabDelimited", for 2.0's tsv.
	Style         string
	Explode       bool
	AllowReserved bool
	AllowEmpty    bool
	// Content is the media type a "content" parameter's value is written in, "" for one that has a style.
	Content string
	// Encoding says, for content that is a form, how its properties are written.
	Encoding    map[string]Encoding
	Schema      *Schema // nil: anything
	Examples    []any
	Description string
	Deprecated  bool
	Place       Place
}

// Body is a request's content.
type Body struct {
	Required bool
	// Media in the order of the document.
	Media []*Media
	Place Place
}

// Media is content of one media type.
type Media struct {
	// Type is the media type or range as the document writes it, such as "application/json; charset=utf-8" or "text/*".
	Type   string
	Schema *Schema // nil: anything
	// Encoding says how a property is written in a form or a part; by property name.
	Encoding map[string]Encoding
	// PrefixEncoding and ItemEncoding say it of the parts of multipart content that have no names (OpenAPI 3.2).
	PrefixEncoding []Encoding
	ItemEncoding   *Encoding
	Examples       []any
	Place          Place
}

// Encoding says how one property is written in application/x-www-form-urlencoded or multipart content.
type Encoding struct {
	// ContentType is a media type, a range, or several of them with commas between; "" where it is left open.
	ContentType   string
	Style         string
	Explode       *bool
	AllowReserved bool
	// Headers are those of a part, in the order of the document.
	Headers []*Parameter
}

// Response is what the document declares for a status code, a range or by default.
type Response struct {
	// Code is "200", "2XX" or "default".
	Code  string
	Media []*Media
	// Headers declared, in the order of the document.
	Headers []*Parameter
	// Links in the order of the document, those that lead to an operation of it.
	Links []*Link
	// Unusable says why nothing is known of what it declares, "" for one that was read.
	Unusable string
	Place    Place
}

// Schema is a JSON Schema with the document's dialect taken off: the keywords mean what JSON Schema 2020-12 says.
// References are resolved to the schema they name, so schemas can form cycles.
type Schema struct {
	// Name is the last part of the place it is defined at where that is a named one, such as "Pet".
	Name string
	// Always is non-nil for a schema that is just true or false.
	Always *bool
	// Types are the JSON types allowed, "null" among them where the document says nullable; empty: any.
	Types    []string
	Enum     []any // numbers as json.Number
	HasEnum  bool
	Const    any
	HasConst bool
	Default  any
	// HasDefault tells a default of null from none.
	HasDefault bool
	Examples   []any

	Format           string
	Pattern          string // ECMA-262
	ContentEncoding  string
	ContentMediaType string
	// MinLength and MaxLength count code points; -1: not given. The same for the other sizes below.
	MinLength, MaxLength int64

	Minimum, Maximum                   *big.Rat
	ExclusiveMinimum, ExclusiveMaximum *big.Rat
	MultipleOf                         *big.Rat

	Items                *Schema
	PrefixItems          []*Schema
	Contains             *Schema
	MinContains          int64
	MaxContains          int64
	MinItems, MaxItems   int64
	UniqueItems          bool
	UnevaluatedItems     *Schema
	Properties           []Property // in the order of the document
	Required             []string
	AdditionalProperties *Schema
	PatternProperties    []Property // Name is the pattern
	PropertyNames        *Schema
	MinProperties        int64
	MaxProperties        int64
	DependentRequired    map[string][]string
	DependentSchemas     map[string]*Schema
	UnevaluatedProps     *Schema

	AllOf, OneOf, AnyOf []*Schema
	Not                 *Schema
	If, Then, Else      *Schema
	Discriminator       *Discriminator

	ReadOnly, WriteOnly bool
	Deprecated          bool
	Title, Description  string
	XML                 *XML

	// Unusable says why nothing is known of it, "" for a schema that was read: a reference that leads nowhere, or
	// something that is no schema. Nothing is made for such a schema (Always is false), and a value that would have
	// to be judged by it is not judged.
	Unusable string

	Place Place
	// open says what it asks for besides and is not known, "" for nothing. A value that comes to it is not judged.
	open string
	// lenientNull: the document says nullable in a way that, to the letter, does not let null in. No null is made for
	// it, and none is held to be a fault.
	lenientNull bool
}

// Property is a named schema.
type Property struct {
	Name   string
	Schema *Schema
}

// Discriminator is OpenAPI's discriminator object.
type Discriminator struct {
	Property string
	// Mapping from the property's value to the schema, the implicit names not among them.
	Mapping map[string]*Schema
}

// XML is OpenAPI's xml object.
type XML struct {
	Name, Namespace, Prefix string
	// Node is "element", "attribute", "text", "cdata" or "none", "" where the document leaves it open. What OpenAPI
	// says by attribute and wrapped before 3.2 is read as this.
	Node string
}

// Place is where something stands in a document's files.
type Place struct {
	// File is the file or URL, as Source or as the references lead to it.
	File string
	// Pointer is a JSON pointer as a fragment, such as "#/paths/~1pets/get".
	Pointer string
	// Line and Column count from 1; 0 where they are not known.
	Line, Column int
}

// Issue is a problem found in a document.
type Issue struct {
	Place Place
	// What is wrong, in one line, and what was done about it ("left out", "read as …").
	Message string
	// Severity is "error" where something could not be used, "warning" where it was read in spite of it, "note" else.
	Severity string
}
