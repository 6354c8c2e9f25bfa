package hints

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// readAll reads a reply of that body as the classifier and the generator do.
func readAll(status int, contentType, body string) []Hint {
	reply := &messages.Reply{Status: status, Body: []byte(body), Header: []messages.Field{{Name: "Content-Type", Value: contentType}}}
	var value any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if d.Decode(&value) != nil {
		value = nil
	}
	return Read(reply, value)
}

func told(hints []Hint) []string {
	all := []string{}
	for _, h := range hints {
		all = append(all, h.String())
	}
	return all
}

// says whether the hint is the one in words; of the words that may be its field one is given, behind a "?".
func says(h Hint, words string) bool {
	if in, rest, unsure := strings.Cut(words, "?"); unsure && len(h.Path) == 0 {
		for _, maybe := range h.Maybe {
			if want, ok := strings.CutPrefix(rest, maybe+" "); ok && want == h.Want.String() && strings.TrimSuffix(in, ".") == h.In {
				return true
			}
		}
		return false
	}
	return h.String() == words
}

func TestWhatFrameworksReplyIsRead(t *testing.T) {
	for _, row := range []struct {
		name, body string
		want       []string
	}{
		// RFC 9457 and what came before it.
		{
			"RFC 9457, errors with pointers",
			`{"type": "https://example.net/validation-error", "title": "Your request is not valid.", "status": 422, "errors": [
				{"detail": "must be a positive integer", "pointer": "#/age"},
				{"detail": "must be 'green', 'red' or 'blue'", "pointer": "#/profile/color"}]}`,
			[]string{"age is more than 0", "profile.color is one of green, red, blue"},
		},
		{
			"RFC 7807, invalid-params",
			`{"type": "https://example.net/invalid", "title": "Invalid", "invalid-params": [
				{"name": "age", "reason": "must be at least 18"}, {"name": "plan", "reason": "must be one of: free, pro"}]}`,
			[]string{"age is at least 18", "plan is one of free, pro"},
		},
		{
			"a problem with a detail alone",
			`{"title": "Bad Request", "status": 400, "detail": "Required parameter 'zone' is not present.", "instance": "/records"}`,
			[]string{"?zone is sent"},
		},
		{
			"a Quarkus problem with violations",
			`{"title": "Constraint Violation", "status": 400, "violations": [{"field": "create.order.sku", "message": "size must be between 4 and 12"}]}`,
			[]string{"create.order.sku has at least 4 characters", "create.order.sku has at most 12 characters"},
		},

		// Spring.
		{
			"Spring, errors with defaultMessage",
			`{"timestamp": "2026-01-01T00:00:00Z", "status": 400, "error": "Bad Request", "message": "Validation failed for object='order'. Error count: 2", "path": "/orders", "errors": [
				{"codes": ["NotBlank.order.sku"], "defaultMessage": "must not be blank", "objectName": "order", "field": "sku", "rejectedValue": "", "code": "NotBlank"},
				{"defaultMessage": "must be greater than or equal to 1", "objectName": "order", "field": "items[0].quantity", "rejectedValue": 0, "code": "Min"}]}`,
			[]string{"sku is sent", "items.quantity is at least 1"},
		},
		{
			"Spring, a parameter",
			`{"timestamp": 1, "status": 400, "error": "Bad Request", "message": "Required request parameter 'from' for method parameter type String is not present", "path": "/x"}`,
			[]string{"?from is sent"},
		},
		{
			"Spring, a header",
			`{"status": 400, "error": "Bad Request", "message": "Required request header 'X-Tenant' for method parameter type String is not present"}`,
			[]string{"header.?X-Tenant is sent"},
		},
		{
			"Spring, no body",
			`{"status": 400, "error": "Bad Request", "message": "Required request body is missing: public void shop.Orders.add(shop.Order)"}`,
			[]string{"body is sent"},
		},
		{
			"Spring, an enum that Jackson cannot read",
			"{\"status\": 400, \"message\": \"JSON parse error: Cannot deserialize value of type `shop.Size` from String \\\"maple\\\": not one of the values accepted for Enum class: [SMALL, MEDIUM, LARGE]\"}",
			[]string{"?maple is one of SMALL, MEDIUM, LARGE"},
		},
		{
			"Spring, a surplus property",
			`{"status": 400, "message": "JSON parse error: Unrecognized field \"colour\" (class shop.Order), not marked as ignorable"}`,
			[]string{"?colour is left out"},
		},
		{
			"Spring, a UUID in the path",
			`{"status": 400, "message": "Failed to convert value of type 'java.lang.String' to required type 'java.util.UUID'; Invalid UUID string: maple"}`,
			[]string{"?java.lang.String is sent", "?maple is a UUID"},
		},
		{
			"Bean Validation, a pattern",
			`{"errors": [{"field": "code", "defaultMessage": "must match \"^[A-Z]{3}-[0-9]+$\""}]}`,
			[]string{"code matches ^[A-Z]{3}-[0-9]+$"},
		},
		{
			"Bean Validation, an e-mail address",
			`{"violations": [{"propertyPath": "register.user.email", "message": "must be a well-formed email address"}]}`,
			[]string{"register.user.email is a e-mail address"},
		},

		// ASP.NET.
		{
			"ASP.NET, errors by field",
			`{"type": "https://tools.ietf.org/html/rfc7231#section-6.5.1", "title": "One or more validation errors occurred.", "status": 400, "traceId": "00-1",
				"errors": {"Name": ["The Name field is required."], "Items[0].Price": ["The field Price must be between 1 and 100."]}}`,
			[]string{"Items.Price is at least 1", "Items.Price is at most 100", "Name is sent"},
		},
		{
			"ASP.NET, a JSON path",
			`{"title": "One or more validation errors occurred.", "status": 400, "errors": {"$.quantity": ["The JSON value could not be converted to System.Int32. Path: $.quantity | LineNumber: 0"]}}`,
			[]string{},
		},
		{
			"ASP.NET, lengths",
			`{"errors": {"Title": ["The field Title must be a string or array type with a minimum length of '5'."], "Code": ["The field Code must be a string with a maximum length of 10."]}}`,
			[]string{"Code has at most 10 characters", "Title has at least 5 characters"},
		},
		{
			"ASP.NET, an empty body",
			`{"errors": {"": ["A non-empty request body is required."]}, "title": "One or more validation errors occurred.", "status": 400}`,
			[]string{"body is sent"},
		},
		{
			"FluentValidation",
			`{"errors": [{"propertyName": "Email", "errorMessage": "'Email' is not a valid email address.", "attemptedValue": "maple", "errorCode": "EmailValidator"}]}`,
			[]string{"Email is a e-mail address"},
		},

		// Django REST framework.
		{
			"DRF, required fields",
			`{"name": ["This field is required."], "owner": {"email": ["Enter a valid email address."]}}`,
			[]string{"name is sent", "owner.email is a e-mail address"},
		},
		{
			"DRF, a list of objects",
			`{"items": [{}, {"quantity": ["Ensure this value is greater than or equal to 1."]}]}`,
			[]string{"items.quantity is at least 1"},
		},
		{
			"DRF, lengths",
			`{"code": ["Ensure this field has no more than 10 characters."], "slug": ["Ensure this field has at least 3 characters."]}`,
			[]string{"code has at most 10 characters", "slug has at least 3 characters"},
		},
		{
			"DRF, a date",
			`{"born": ["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`,
			[]string{"born matches ^20[0-3][0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$"},
		},
		{
			"DRF, unique",
			`{"username": ["A user with that username already exists."]}`,
			[]string{"username is another each time"},
		},
		{
			"DRF, blank and not an integer",
			`{"title": ["This field may not be blank."], "count": ["A valid integer is required."]}`,
			[]string{"count is sent", "count is of type integer", "title is sent", "title has at least 1 characters", "title has at least 1 items"},
		},
		{
			"Django, JSON of a form's errors",
			`{"email": [{"message": "This field is required.", "code": "required"}]}`,
			[]string{"email is sent"},
		},
		{
			"marshmallow",
			`{"errors": {"json": {"price": ["Missing data for required field."], "colour": ["Unknown field."]}}, "code": 422, "status": "Unprocessable Entity"}`,
			[]string{"body.colour is left out", "body.price is sent"},
		},

		// FastAPI and pydantic.
		{
			"pydantic 2, missing and surplus",
			`{"detail": [{"type": "missing", "loc": ["body", "item", "price"], "msg": "Field required", "input": {}}, {"type": "extra_forbidden", "loc": ["body", "color"], "msg": "Extra inputs are not permitted", "input": 1}]}`,
			[]string{"body.item.price is sent", "body.color is left out"},
		},
		{
			"pydantic 2, bounds",
			`{"detail": [{"type": "greater_than_equal", "loc": ["query", "limit"], "msg": "Input should be greater than or equal to 1", "input": "0", "ctx": {"ge": 1}},
				{"type": "string_too_short", "loc": ["body", "name"], "msg": "String should have at least 3 characters", "ctx": {"min_length": 3}}]}`,
			[]string{"query.limit is at least 1", "body.name has at least 3 characters"},
		},
		{
			"pydantic 2, an enumeration",
			`{"detail": [{"type": "enum", "loc": ["body", "tags", 0, "kind"], "msg": "Input should be 'a', 'b' or 'c'", "input": "x", "ctx": {"expected": "'a', 'b' or 'c'"}}]}`,
			[]string{"body.tags.kind is one of a, b, c"},
		},
		{
			"pydantic 2, a pattern",
			`{"detail": [{"type": "string_pattern_mismatch", "loc": ["path", "code"], "msg": "String should match pattern '^[a-z]{4}$'", "ctx": {"pattern": "^[a-z]{4}$"}}]}`,
			[]string{"path.code matches ^[a-z]{4}$"},
		},
		{
			"pydantic 2, an integer",
			`{"detail": [{"type": "int_parsing", "loc": ["path", "id"], "msg": "Input should be a valid integer, unable to parse string as an integer", "input": "x"}]}`,
			[]string{"path.id is of type integer"},
		},
		{
			"pydantic 1",
			`{"detail": [{"loc": ["body", "name"], "msg": "field required", "type": "value_error.missing"}, {"loc": ["body", "mail"], "msg": "value is not a valid email address", "type": "value_error.email"}]}`,
			[]string{"body.name is sent", "body.mail is a e-mail address"},
		},
		{
			"pydantic 1, a length",
			`{"detail": [{"loc": ["body", "name"], "msg": "ensure this value has at least 3 characters", "type": "value_error.any_str.min_length", "ctx": {"limit_value": 3}}]}`,
			[]string{"body.name has at least 3 characters"},
		},

		// Express, ajv, Joi, zod, NestJS, Fastify.
		{
			"ajv",
			`{"errors": [{"instancePath": "/items/0", "schemaPath": "#/x", "keyword": "required", "params": {"missingProperty": "sku"}, "message": "must have required property 'sku'"},
				{"instancePath": "/size", "keyword": "enum", "params": {"allowedValues": ["S", "M"]}, "message": "must be equal to one of the allowed values"},
				{"instancePath": "/qty", "keyword": "minimum", "params": {"comparison": ">=", "limit": 1}, "message": "must be >= 1"},
				{"instancePath": "", "keyword": "additionalProperties", "params": {"additionalProperty": "x"}, "message": "must NOT have additional properties"}]}`,
			[]string{"items.sku is sent", "size is one of S, M", "qty is at least 1", "x is left out"},
		},
		{
			"express-openapi-validator",
			`{"message": "request/body must have required property 'name'", "errors": [{"path": "/body/name", "message": "must have required property 'name'", "errorCode": "required.openapi.validation"}]}`,
			[]string{"body.name is sent", "?name is sent"},
		},
		{
			"Fastify",
			`{"statusCode": 400, "code": "FST_ERR_VALIDATION", "error": "Bad Request", "message": "body must have required property 'name'"}`,
			[]string{"?name is sent"},
		},
		{
			"Fastify, a query",
			`{"statusCode": 400, "error": "Bad Request", "message": "querystring/limit must be integer"}`,
			[]string{"query.limit is of type integer"},
		},
		{
			"ajv's errorsText",
			`{"message": "data.name should NOT be shorter than 3 characters, data.age should be <= 120"}`,
			[]string{"name has at least 3 characters", "age is at most 120"},
		},
		{
			"express-validator 6",
			`{"errors": [{"value": "x", "msg": "email must be a valid e-mail", "param": "email", "location": "body"}, {"msg": "limit must be between 1 and 50", "param": "limit", "location": "query"}]}`,
			[]string{"body.email is a e-mail address", "query.limit is at least 1", "query.limit is at most 50"},
		},
		{
			"express-validator 7",
			`{"errors": [{"type": "field", "msg": "name is required", "path": "name", "location": "body"}]}`,
			[]string{"body.name is sent"},
		},
		{
			"Joi",
			`{"statusCode": 400, "error": "Bad Request", "message": "\"colour\" is not allowed", "validation": {"body": {"source": "body", "keys": ["colour"], "message": "\"colour\" is not allowed"}}}`,
			[]string{"?colour is left out", "body.?colour is left out"},
		},
		{
			"Joi's details",
			`{"details": [{"message": "\"username\" length must be at least 3 characters long", "path": ["username"], "type": "string.min", "context": {"limit": 3, "value": "a", "key": "username", "label": "username"}},
				{"message": "\"role\" must be one of [admin, user]", "path": ["role"], "type": "any.only", "context": {"valids": ["admin", "user"], "label": "role"}}]}`,
			[]string{"username has at least 3 characters", "role is one of admin, user"},
		},
		{
			"zod 3",
			`{"success": false, "error": {"issues": [{"code": "too_small", "minimum": 5, "type": "string", "inclusive": true, "message": "String must contain at least 5 character(s)", "path": ["name"]},
				{"code": "invalid_type", "expected": "number", "received": "undefined", "path": ["price"], "message": "Required"},
				{"code": "unrecognized_keys", "keys": ["foo"], "path": [], "message": "Unrecognized key(s) in object: 'foo'"}]}}`,
			[]string{"name has at least 5 characters", "price is sent", "foo is left out"},
		},
		{
			"zod 3, flattened",
			`{"formErrors": [], "fieldErrors": {"website": ["Invalid url"], "tags": ["Array must contain at least 1 element(s)"]}}`,
			[]string{"tags has at least 1 items", "website is a URL"},
		},
		{
			"NestJS, class-validator",
			`{"statusCode": 400, "message": ["email must be an email", "age must not be less than 18", "property foo should not exist"], "error": "Bad Request"}`,
			[]string{"?email is a e-mail address", "?age is at least 18", "?foo is left out"},
		},
		{
			"class-validator, constraints",
			`{"message": [{"property": "role", "constraints": {"isIn": "role must be one of the following values: admin, user"}}, {"property": "id", "constraints": {"isUuid": "id must be a UUID"}}]}`,
			[]string{"role is one of admin, user", "id is a UUID"},
		},
		{
			"mongoose",
			`{"errors": {"title": {"name": "ValidatorError", "message": "Path 'title' is required.", "kind": "required", "path": "title"}}, "_message": "Post validation failed"}`,
			[]string{"title is sent"},
		},
		{
			"LoopBack",
			`{"error": {"statusCode": 422, "name": "UnprocessableEntityError", "code": "VALIDATION_FAILED", "message": "The request body is invalid.", "details": [{"path": "", "code": "required", "message": "must have required property 'title'", "info": {"missingProperty": "title"}}]}}`,
			[]string{"title is sent"},
		},

		// Rails, Laravel, Symfony, Phoenix.
		{
			"Rails, errors by field",
			`{"errors": {"password": ["is too short (minimum is 8 characters)"], "email": ["has already been taken", "is invalid"], "name": ["can't be blank"]}}`,
			[]string{"email is another each time", "name is sent", "name has at least 1 characters", "name has at least 1 items", "password has at least 8 characters"},
		},
		{
			"Rails, the wrong length and a list",
			`{"zip": ["is the wrong length (should be 5 characters)"], "kind": ["is not included in the list"]}`,
			[]string{"zip has at least 5 characters", "zip has at most 5 characters"},
		},
		{
			"Rails, full messages",
			`{"errors": ["First name can't be blank", "Age must be greater than or equal to 18"]}`,
			[]string{"?First name is sent", "?First name has at least 1 characters", "?First name has at least 1 items", "?Age is at least 18"},
		},
		{
			"Rails, a missing parameter",
			`{"status": 400, "error": "param is missing or the value is empty: user"}`,
			[]string{"?user is sent", "?user has at least 1 characters", "?user has at least 1 items"},
		},
		{
			"Laravel",
			`{"message": "The given data was invalid.", "errors": {"items.0.sku": ["The items.0.sku field is required."], "password": ["The password must be at least 8 characters."], "status": ["The selected status is invalid."]}}`,
			[]string{"items.sku is sent", "password has at least 8 characters"},
		},
		{
			"Laravel, letters and a date",
			`{"errors": {"handle": ["The handle must only contain letters, numbers, dashes and underscores."], "day": ["The day does not match the format d/m/Y."], "site": ["The site must be a valid URL."]}}`,
			[]string{"handle matches ^[a-zA-Z0-9_-]+$", "site is a URL"},
		},
		{
			"Symfony",
			`{"type": "https://symfony.com/errors/validation", "title": "Validation Failed", "violations": [{"propertyPath": "title", "title": "This value should not be blank."}, {"propertyPath": "rating", "title": "This value should be between 1 and 5."}]}`,
			[]string{"title is sent", "title has at least 1 characters", "title has at least 1 items", "rating is at least 1", "rating is at most 5"},
		},
		{
			"Phoenix",
			`{"errors": {"detail": {"slug": ["should be at least 4 character(s)"], "name": ["can't be blank"]}}}`,
			[]string{"name is sent", "name has at least 1 characters", "name has at least 1 items", "slug has at least 4 characters"},
		},

		// Go, Rust, Kubernetes.
		{
			"Go's validator, its text",
			`{"error": "Key: 'Order.Sku' Error:Field validation for 'Sku' failed on the 'required' tag\nKey: 'Order.Mail' Error:Field validation for 'Mail' failed on the 'email' tag"}`,
			[]string{"?Sku is sent", "?Mail is a e-mail address"},
		},
		{
			"Go's validator, in data",
			`{"errors": [{"field": "Size", "tag": "oneof", "param": "S M L"}, {"field": "Count", "tag": "lte", "param": "9"}]}`,
			[]string{"Size is one of S, M, L", "Count is at most 9", "Count has at most 9 characters"},
		},
		{
			"Go, strconv",
			`{"error": "strconv.ParseInt: parsing \"maple\": invalid syntax"}`,
			[]string{"?maple is of type integer"},
		},
		{
			"Go, json with DisallowUnknownFields",
			`json: unknown field "colour"`,
			[]string{"?colour is left out"},
		},
		{
			"go-swagger",
			`{"code": 602, "message": "name in body is required"}`,
			[]string{"body.name is sent"},
		},
		{
			"go-swagger, a list",
			`{"code": 606, "message": "status in query should be one of [open closed]"}`,
			[]string{"query.status is one of open, closed"},
		},
		{
			"serde",
			"Failed to deserialize the JSON body into the target type: kind: unknown variant `maple`, expected one of `a`, `b`, `c` at line 1 column 15",
			[]string{"?kind is one of a, b, c"},
		},
		{
			"serde, a missing field",
			"Failed to deserialize the JSON body into the target type: missing field `title` at line 1 column 2",
			[]string{"?title is sent"},
		},
		{
			"Kubernetes",
			`{"kind": "Status", "status": "Failure", "message": "Pod \"X\" is invalid", "reason": "Invalid", "details": {"causes": [
				{"reason": "FieldValueInvalid", "message": "Invalid value: \"X\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-' (regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')", "field": "metadata.name"}]}, "code": 422}`,
			[]string{"metadata.name matches ^(?:[a-z0-9]([-a-z0-9]*[a-z0-9])?)$"},
		},

		// JSON:API and others.
		{
			"JSON:API",
			`{"errors": [{"status": "422", "source": {"pointer": "/data/attributes/firstName"}, "title": "Invalid Attribute", "detail": "First name must contain at least two characters."},
				{"status": "400", "source": {"parameter": "page"}, "title": "Invalid Query Parameter", "detail": "must be greater than 0"}]}`,
			[]string{"query.page is more than 0"},
		},
		{
			"JSON:API, blank",
			`{"errors": [{"source": {"pointer": "/data/attributes/title"}, "detail": "can't be blank"}]}`,
			[]string{"body.attributes.title is sent", "body.attributes.title has at least 1 characters", "body.attributes.title has at least 1 items"},
		},
		{
			"Stripe",
			`{"error": {"code": "parameter_missing", "message": "Missing required param: amount.", "param": "amount", "type": "invalid_request_error"}}`,
			[]string{"amount is sent"},
		},
		{
			"GitHub",
			`{"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}], "documentation_url": "https://example.com"}`,
			[]string{"title is sent"},
		},
		{
			"connexion",
			`{"detail": "'maple' is not one of ['open', 'closed'] - 'status'", "status": 400, "title": "Bad Request", "type": "about:blank"}`,
			[]string{"?status is one of open, closed"},
		},
		{
			"jsonschema, additional properties",
			`{"detail": "Additional properties are not allowed ('foo' was unexpected)", "status": 400}`,
			[]string{"?foo is left out"},
		},
		{
			"a list of fields",
			`{"error": "Missing required fields: name, price, sku"}`,
			[]string{"?name is sent", "?price is sent", "?sku is sent"},
		},
		{"missing, as text", `missing parameter 'x'`, []string{"?x is sent"}},
		{"a pattern, as text", `'name' must match ^[a-z]+$`, []string{"?name matches ^[a-z]+$"}},
		{"a list, as text", `state must be one of a, b, c`, []string{"?state is one of a, b, c"}},
		{"options", `{"error": "object_type must be one of the following options: all, zone, record"}`, []string{"?object_type is one of all, zone, record"}},
		{"a time zone", `unknown time zone maple`, []string{"?maple is a name of a time zone"}},
		{"a dot", `zone name must end with a dot`, []string{"?zone name is a domain name that ends with a dot"}},
		{"a canonical name", `{"error": "DNS Name 'maple' is not canonical"}`, []string{"?maple is a domain name that ends with a dot"}},
		{"a name that cannot be parsed", `{"error": "Unable to parse DNS Name 'a..b'"}`, []string{"?a..b is a host name"}},
		{"a key that is not there", `{"error": "Key 'kind' not present or not a String"}`, []string{"?kind is sent"}},
		{"a date's template", `{"message": "birthday: use dd/MM/yyyy"}`, []string{"?birthday matches ^(0[1-9]|1[0-9]|2[0-8])/(0[1-9]|1[0-2])/20[0-3][0-9]$"}},
		{"a prefix", `{"error": "path must start with '/'"}`, []string{"?path matches ^/[a-z0-9]{3,12}$"}},
		{"no body", "EOF", []string{"body is sent"}},
		{"a password", `{"message": "password must be stronger: invalid password"}`, []string{"?password is a strong password"}},
		{"a conflict", `{"error": "Domain 'maple.example.' already exists"}`, []string{"?maple.example is another each time"}},
		{"a range in brackets", `{"error": "limit must be in range [1, 500]"}`, []string{"?limit is at least 1", "?limit is at most 500"}},
		{"an IP address", `{"error": "Invalid IP address: maple"}`, []string{"?maple is a IP address"}},
		{"two that do not go together", `{"error": "You cannot give rrsets AND zone data as text"}`, []string{"?rrsets is left out", "?zone is left out", "?text is left out"}},
		{"either or", `You may specify either IDs or a search query, not both`, []string{"?IDs is left out", "?search is left out", "?query is left out"}},
		{"a name server", `{"error": "Nameserver is not canonical: 'maple'"}`, []string{"?maple is a domain name that ends with a dot"}},
		{"base64", `{"error": "TSIG content 'maple' cannot be base64-decoded"}`, []string{"?maple is a text in base64"}},
		{"an algorithm", `{"error": "Unknown TSIG algorithm: maple"}`, []string{"?maple is a TSIG algorithm"}},
		{"nothing to read", `{"error": "Not Found"}`, []string{}},
		{"a page", `<html><body>name is required</body></html>`, []string{}},
		{"an apology", `{"message": "Something went wrong. Please try again later."}`, []string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := readAll(400, "application/json", row.body)
			if !slices.EqualFunc(got, row.want, says) {
				t.Errorf("got  %q\nwant %q", told(got), row.want)
			}
		})
	}
}

func TestStatusesThatSayNothingOfValuesGiveNoHints(t *testing.T) {
	const body = `{"name": ["This field is required."]}`
	for _, status := range []int{200, 301, 401, 403, 404, 405, 415, 429, 500, 503} {
		if got := readAll(status, "application/json", body); len(got) > 0 {
			t.Errorf("%d: %q", status, told(got))
		}
	}
	for _, status := range []int{400, 409, 412, 422} {
		if got := readAll(status, "application/json", body); len(got) != 1 {
			t.Errorf("%d: %q", status, told(got))
		}
	}
}

func TestOnlyWhatIsAskedForAsJSONIsToBeJSON(t *testing.T) {
	for message, want := range map[string]bool{
		"config is not valid JSON": true, "config: invalid JSON: unexpected token": true,
		"config: malformed JSON, offset 3": true,
		"unknown json web key type 'abc'":  false, "config: invalid JSON-LD context": false, "config: invalid json_schema": false,
	} {
		got := false
		for _, w := range wantsOf(message) {
			got = got || w.Text == "JSON text"
		}
		if got != want {
			t.Errorf("%s: %t", message, got)
		}
	}
}

func TestAPatternThatCouldBeMatchedForAgesIsNotTaken(t *testing.T) {
	for pattern, safe := range map[string]bool{
		`^[a-z]+$`: true, `^[a-z]+(-[a-z0-9]+)*$`: true, `^(?=.*[A-Z])(?=.*\d).{8,}$`: true, `[a-z0-9]([-a-z0-9]*[a-z0-9])?`: true,
		`^(a+)+$`: false, `^(a|a?)+$`: false, `^(a|b|ab)*1$`: false, `^([a-z]{2})*$`: true, `^([a-z]|[0-9])+$`: true, `^([a-z]+)*$`: false, `(.*)*x`: false, `a*a*a*a*a*a*a*a*a*a*b`: false, `(`: false, ``: false,
		strings.Repeat("a", longestRule+1): false, `^(x[a-z]+)*$`: false,
	} {
		if got := safePattern(pattern); got != safe {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}

func TestAWantNarrowsASchemaOfItsTypesAlone(t *testing.T) {
	for _, row := range []struct {
		want  Want
		types []string
		told  string // what the schema says then, "" if nothing
	}{
		{Want{Kind: OneOf, Values: []string{"1", "x"}}, []string{"integer"}, "enum [1]"},
		{Want{Kind: OneOf, Values: []string{"1", "x"}}, []string{"string"}, "enum [1 x]"},
		{Want{Kind: OneOf, Values: []string{"x"}}, []string{"boolean"}, ""},
		{Want{Kind: AtLeast, Bound: "3"}, []string{"number"}, "minimum 3"},
		{Want{Kind: AtLeast, Bound: "3"}, []string{"string"}, ""},
		{Want{Kind: AtLeast, Bound: "1e999999999"}, []string{"number"}, ""},
		{Want{Kind: NoShorter, Bound: "3"}, []string{"string"}, "minLength 3"},
		{Want{Kind: NoShorter, Bound: "99999999"}, []string{"string"}, ""},
		{Want{Kind: NoFewer, Bound: "2"}, []string{"array"}, "minItems 2"},
		{Want{Kind: Matching, Text: "^a$"}, []string{"string"}, "pattern ^a$"},
		{Want{Kind: Matching, Text: "(a+)+"}, []string{"string"}, ""},
		{Want{Kind: Formatted, Text: "e-mail address"}, []string{"string"}, "format email"},
		{Want{Kind: Formatted, Text: "e-mail address"}, []string{"integer"}, ""},
		{Want{Kind: Typed, Text: "integer"}, []string{"string"}, "pattern ^(0|[1-9][0-9]{0,3})$"},
		{Want{Kind: Typed, Text: "integer"}, []string{"integer", "string"}, "types [integer]"},
	} {
		s := &document.Schema{MinLength: -1, MinItems: -1}
		told := ""
		if row.want.Narrow(s, row.types) {
			switch {
			case s.HasEnum:
				told = fmt.Sprint("enum ", s.Enum)
			case s.Minimum != nil:
				told = "minimum " + s.Minimum.RatString()
			case s.MinLength >= 0:
				told = fmt.Sprint("minLength ", s.MinLength)
			case s.MinItems >= 0:
				told = fmt.Sprint("minItems ", s.MinItems)
			case s.Pattern != "":
				told = "pattern " + s.Pattern
			case s.Format != "":
				told = "format " + s.Format
			case len(s.Types) > 0:
				told = fmt.Sprint("types ", s.Types)
			}
		}
		if told != row.told {
			t.Errorf("%v for %v: %q, want %q", row.want, row.types, told, row.told)
		}
	}
}

// scraps are pieces of messages and of JSON that replies of every kind are made of.
var scraps = []string{
	"name", " is required", "must be one of ", "[a, b, c", "'", "\"", "`", "between 1 and ", "9999999999999999999", "^(a+)+$", "must match ", ": ", ", ",
	"errors", "detail", "field", "loc", "/data/attributes/", "pattern", "message", "missing ", "unknown field ", "at least ", "-1", "\n", ";", "(", "]", "{", "dd/MM/yyyy",
	"é", "\x00", "\xff", "already exists", "end with a dot", "valid email", "type", "params", "limit", "ctx", "code", "required", "$.", "[0]", "~1", "EOF",
}

func jsonValue(t *rapid.T, depth int) any {
	word := func() string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(scraps), 0, 6).Draw(t, "words"), "")
	}
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind == 0:
		return json.Number(fmt.Sprint(rapid.Int().Draw(t, "number")))
	case kind == 1 || depth > 5:
		return word()
	case kind == 2:
		return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "constant")
	case kind == 3:
		items := make([]any, rapid.IntRange(0, 5).Draw(t, "items"))
		for i := range items {
			items[i] = jsonValue(t, depth+1)
		}
		return items
	}
	o := map[string]any{}
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		key := word()
		if rapid.Bool().Draw(t, "known") {
			key = rapid.SampledFrom(slices.Concat(nameKeys, messageKeys, notFields)).Draw(t, "key")
		}
		o[key] = jsonValue(t, depth+1)
	}
	return o
}

func TestReadingARefusalNeverPanicsAndIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := jsonValue(t, 0)
		body, err := json.Marshal(value)
		if err != nil {
			t.Skip("not JSON")
		}
		if rapid.Bool().Draw(t, "text") {
			value, body = nil, []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(scraps), 0, 60).Draw(t, "text"), ""))
		}
		reply := &messages.Reply{Status: rapid.SampledFrom([]int{400, 409, 422}).Draw(t, "status"), Body: body}
		found := Read(reply, value)
		if len(found) > mostHints {
			t.Fatalf("%d hints", len(found))
		}
		for _, h := range found {
			size := len(h.Want.Text) + len(h.Want.Bound)
			for _, s := range slices.Concat(h.Path, h.Maybe, h.Want.Values) {
				if size += len(s); len(s) > longestName {
					t.Fatalf("a name of %d bytes", len(s))
				}
			}
			if size > 16<<10 {
				t.Fatalf("%d bytes in one hint", size)
			}
			h.Want.Narrow(&document.Schema{}, []string{"string", "number", "array", "boolean", "object"})
		}
		if again := Read(reply, value); !slices.Equal(told(found), told(again)) {
			t.Fatal("read twice, it says two things")
		}
	})
}

func TestAHugeReplyIsReadInPart(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"errors": [`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"field": "f%d", "message": "is required"}, `, i)
	}
	b.WriteString(`{}]}`)
	if got := readAll(422, "application/json", b.String()); len(got) != mostHints {
		t.Errorf("%d hints", len(got))
	}
	deep := strings.Repeat(`{"errors": `, 5000) + `"name is required"` + strings.Repeat("}", 5000)
	if got := readAll(422, "application/json", deep); len(got) > 0 {
		t.Errorf("%q", told(got))
	}
	if got := readAll(400, "text/plain", strings.Repeat("name is required; ", 100_000)); len(got) != 1 {
		t.Errorf("%q", told(got))
	}
}

func BenchmarkRead(b *testing.B) {
	const body = `{"detail": [{"type": "greater_than_equal", "loc": ["query", "limit"], "msg": "Input should be greater than or equal to 1", "ctx": {"ge": 1}}]}`
	var value any
	json.Unmarshal([]byte(body), &value)
	reply := &messages.Reply{Status: 422, Body: []byte(body)}
	for b.Loop() {
		Read(reply, value)
	}
}

func BenchmarkReadSentence(b *testing.B) {
	value := any(map[string]any{"error": "DNS Name 'maple' is not canonical"})
	reply := &messages.Reply{Status: 422}
	for b.Loop() {
		Read(reply, value)
	}
}
