package document

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func TestLinksLeadToOperationsByTheirIDOrTheirPlace(t *testing.T) {
	doc := loadText(t, `openapi: 3.0.3
info: {title: T, version: '1'}
servers: [{url: 'http://127.0.0.1:8080'}]
paths:
  /things:
    post:
      responses:
        '201':
          description: made
          links:
            byID: {operationId: getThing, parameters: {id: '$response.body#/id', query.full: true}}
            byPlace: {operationRef: '#/paths/~1things~1%7Bid%7D/delete', requestBody: '$request.body'}
            shared: {$ref: '#/components/links/shared'}
            nowhere: {operationId: missing}
            neither: {parameters: {id: 7}}
            elsewhere: {operationRef: 'https://example.com/api.yaml#/paths/~1a/get'}
  /things/{id}:
    get: {operationId: getThing, responses: {'200': {description: ok}}}
    delete: {responses: {'204': {description: gone}}}
components:
  links:
    shared: {operationId: getThing, parameters: {path.id: '$response.header.Location'}}
`)
	links := doc.Operations[0].Responses[0].Links
	var names []string
	for _, k := range links {
		names = append(names, k.Name)
	}
	if want := []string{"byID", "byPlace", "shared"}; !reflect.DeepEqual(names, want) {
		t.Fatalf("the links are %q, want %q", names, want)
	}
	if want := []LinkParameter{{"id", "", "$response.body#/id"}, {"full", "query", true}}; links[0].Operation != 1 ||
		!reflect.DeepEqual(links[0].Parameters, want) {
		t.Errorf("byID leads to %d with %v", links[0].Operation, links[0].Parameters)
	}
	if k := links[1]; k.Operation != 2 || !k.HasBody || k.Body != "$request.body" {
		t.Errorf("byPlace leads to %d with the body %v", k.Operation, k.Body)
	}
	if want := []LinkParameter{{"id", "path", "$response.header.Location"}}; !reflect.DeepEqual(links[2].Parameters, want) {
		t.Errorf("shared has %v", links[2].Parameters)
	}
	var told []string
	for _, issue := range doc.Issues {
		if strings.Contains(issue.Message, "the link") {
			told = append(told, issue.Message)
		}
	}
	if len(told) != 3 {
		t.Errorf("want a warning for each of the three links that lead nowhere, got %q", told)
	}
}

func loadText(t *testing.T, text string) *Document {
	t.Helper()
	doc, err := Load(context.Background(), "t.yaml", Options{
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
