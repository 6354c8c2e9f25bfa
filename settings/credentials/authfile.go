package credentials

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/settings"
)

// AuthFile is an authentication file of the Web Fuzzing Commons: users, and how each of them signs in.
type AuthFile struct {
	users  []fileUser
	hidden []*key
	notes  []string
}

// The members of the file, as they stand in it. The token has two spellings: that of today, and the one before it.
type (
	fileUser struct {
		Name   string      `yaml:"name"`
		Mock   bool        `yaml:"requireMockHandling"`
		Fixed  []Line      `yaml:"fixedHeaders"`
		Login  *fileLogin  `yaml:"loginEndpointAuth"`
		Create *fileCreate `yaml:"createUsers"`
	}
	fileLogin struct {
		Endpoint      string        `yaml:"endpoint"`
		External      string        `yaml:"externalEndpointURL"`
		Raw           *string       `yaml:"payloadRaw"`
		UserPwd       *filePassword `yaml:"payloadUserPwd"`
		Headers       []Line        `yaml:"headers"`
		Verb          string        `yaml:"verb"`
		ContentType   string        `yaml:"contentType"`
		Token         *fileToken    `yaml:"token"`
		ExpectCookies bool          `yaml:"expectCookies"`
	}
	filePassword struct {
		Username      string `yaml:"username"`
		Password      string `yaml:"password"`
		UsernameField string `yaml:"usernameField"`
		PasswordField string `yaml:"passwordField"`
	}
	fileToken struct {
		ExtractFrom     string  `yaml:"extractFrom"`
		ExtractSelector string  `yaml:"extractSelector"`
		SendIn          string  `yaml:"sendIn"`
		SendName        string  `yaml:"sendName"`
		SendTemplate    *string `yaml:"sendTemplate"`

		ExtractFromField string  `yaml:"extractFromField"`
		HTTPHeaderName   string  `yaml:"httpHeaderName"`
		HeaderPrefix     *string `yaml:"headerPrefix"`
	}
	fileCreate struct {
		Endpoint    string          `yaml:"endpoint"`
		External    string          `yaml:"externalEndpointURL"`
		Raw         *string         `yaml:"payloadRaw"`
		Verb        string          `yaml:"verb"`
		ContentType string          `yaml:"contentType"`
		Generators  []fileGenerator `yaml:"generators"`
	}
	fileGenerator struct {
		PlaceHolder string `yaml:"placeHolder"`
		MinLength   int    `yaml:"minLength"`
		MaxLength   int    `yaml:"maxLength"`
		Prefix      string `yaml:"prefix"`
		Postfix     string `yaml:"postfix"`
	}
)

// layout is what may stand in a place of the file.
type layout struct {
	kind    string // "text", "switch", "number", "list", "group"; "anything" for the texts of configs
	members []member
	item    *layout
	oneOf   []string
}

type member struct {
	name string
	form *layout
}

func (f *layout) of(name string) *layout {
	for _, m := range f.members {
		if m.name == name {
			return m.form
		}
	}
	return nil
}

func (f *layout) names() []string {
	names := make([]string, len(f.members))
	for i, m := range f.members {
		names[i] = m.name
	}
	return names
}

var (
	aText   = &layout{kind: "text"}
	aSwitch = &layout{kind: "switch"}
	aNumber = &layout{kind: "number"}
	aVerb   = &layout{kind: "text", oneOf: []string{"POST", "GET", "PATCH", "DELETE", "PUT"}}

	headersForm = &layout{kind: "list", item: &layout{kind: "group", members: []member{{"name", aText}, {"value", aText}}}}
	loginForm   = &layout{kind: "group", members: []member{
		{"endpoint", aText},
		{"externalEndpointURL", aText},
		{"payloadRaw", aText},
		{"payloadUserPwd", &layout{kind: "group", members: []member{
			{"username", aText}, {"password", aText}, {"usernameField", aText}, {"passwordField", aText},
		}}},
		{"headers", headersForm},
		{"verb", aVerb},
		{"contentType", aText},
		{"token", &layout{kind: "group", members: []member{
			{"extractFrom", &layout{kind: "text", oneOf: []string{"body", "header"}}},
			{"extractSelector", aText},
			{"sendIn", &layout{kind: "text", oneOf: []string{"header", "query", "cookie"}}},
			{"sendName", aText},
			{"sendTemplate", aText},
			{"extractFromField", aText},
			{"httpHeaderName", aText},
			{"headerPrefix", aText},
		}}},
		{"expectCookies", aSwitch},
	}}
	createForm = &layout{kind: "group", members: []member{
		{"endpoint", aText},
		{"externalEndpointURL", aText},
		{"payloadRaw", aText},
		{"verb", aVerb},
		{"contentType", aText},
		{"generators", &layout{kind: "list", item: &layout{kind: "group", members: []member{
			{"placeHolder", aText}, {"minLength", aNumber}, {"maxLength", aNumber}, {"prefix", aText}, {"postfix", aText},
		}}}},
	}}
	userForm = &layout{kind: "group", members: []member{
		{"name", aText},
		{"requireMockHandling", aSwitch},
		{"fixedHeaders", headersForm},
		{"loginEndpointAuth", loginForm},
		{"createUsers", createForm},
	}}
	authForm = &layout{kind: "group", members: []member{
		{"schemaVersion", aText},
		{"auth", &layout{kind: "list", item: userForm}},
		{"authTemplate", userForm},
		{"configs", &layout{kind: "anything"}},
	}}
)

// exclusive are members of which a user has one: what the user gives keeps the others of the template away.
var exclusive = [][]string{
	{"endpoint", "externalEndpointURL"},
	{"payloadRaw", "payloadUserPwd"},
	{"token", "expectCookies"},
	{"extractFrom", "extractFromField"},
	{"sendName", "httpHeaderName"},
	{"sendTemplate", "headerPrefix"},
}

// ParseAuthFile reads an authentication file, YAML or JSON. The error has a line for each thing that is wrong, with its
// place; none shows what the file holds.
func ParseAuthFile(file string, content []byte) (*AuthFile, error) {
	r := &authReader{file: file}
	root := r.parse(content)
	if root == nil {
		return nil, r.err()
	}
	r.check(root, authForm, "")
	if len(r.problems) > 0 {
		return nil, r.err()
	}
	list, template := child(root, "auth"), child(root, "authTemplate")
	if list == nil || len(list.Content) == 0 {
		r.complain(root, "auth", "lists no user; write auth: with an entry for each")
		return nil, r.err()
	}
	if name := child(template, "name"); name != nil {
		r.complain(name, "authTemplate.name", "belongs to the users, whose names differ; leave it out of the template")
	}
	a := &AuthFile{}
	first := map[string]int{}
	for i, node := range list.Content {
		node = merged(node, template)
		var u fileUser
		if err := node.Decode(&u); err != nil {
			r.complain(node, fmt.Sprintf("auth[%d]", i), "cannot be read")
			continue
		}
		path := fmt.Sprintf("auth[%d]", i)
		if line, twice := first[u.Name]; twice && u.Name != "" {
			r.complain(node, path+".name", fmt.Sprintf("is that of the user at line %d too; give each a name of its own", line))
		}
		first[u.Name] = node.Line
		r.judge(node, path, &u)
		a.add(r, node, path, u)
	}
	return a, r.err()
}

// Notes are what is to be said of the file before anything is sent.
func (a *AuthFile) Notes() []string { return a.notes }

type authReader struct {
	file     string
	problems []error
}

func (r *authReader) err() error { return errors.Join(r.problems...) }

func (r *authReader) complain(n *yaml.Node, path, what string) {
	where := r.file
	if n != nil && n.Line > 0 {
		where += ":" + strconv.Itoa(n.Line)
	}
	if path != "" {
		where += ": " + path
	}
	r.problems = append(r.problems, errors.New(where+" "+what))
}

// parse finds the file's one value, nil if there is none.
func (r *authReader) parse(content []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	var document yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0:
		r.complain(nil, "", "is empty; write auth: with an entry for each user")
		return nil
	case err != nil:
		// What the reader says may quote the file.
		at := &yaml.Node{}
		var where *yaml.LoadError
		if errors.As(err, &where) {
			at.Line = where.Mark.Line
		}
		r.complain(at, "", "is neither YAML nor JSON here")
		return nil
	}
	return followed(document.Content[0])
}

func followed(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// child is the value of a mapping's member, nil where there is none or it is null.
func child(n *yaml.Node, name string) *yaml.Node {
	if n == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := followed(n.Content[i+1]); n.Content[i].Value == name && !null(v) {
			return v
		}
	}
	return nil
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// deepestNode bounds how far an alias can lead into itself.
const deepestNode = 12

// check refuses what is not of the layout.
func (r *authReader) check(n *yaml.Node, f *layout, path string) {
	n = followed(n)
	if null(n) || strings.Count(path, ".") > deepestNode {
		return
	}
	is := func(kind yaml.Kind, tags ...string) bool {
		return n.Kind == kind && (tags == nil || slices.Contains(tags, n.ShortTag()))
	}
	switch f.kind {
	case "text":
		switch {
		case n.Kind != yaml.ScalarNode:
			r.complain(n, path, "is a list or a group; write one text")
		case !is(yaml.ScalarNode, "!!str"):
			r.complain(n, path, "is no text; put it in quotes")
		case f.oneOf != nil && !slices.Contains(f.oneOf, n.Value):
			what := "is none of " + strings.Join(f.oneOf, ", ")
			if meant := settings.Suggest(n.Value, f.oneOf); meant != "" {
				what += "; did you mean " + meant + "?"
			}
			r.complain(n, path, what)
		}
	case "switch":
		if !is(yaml.ScalarNode, "!!bool") {
			r.complain(n, path, "is neither true nor false")
		}
	case "number":
		if !is(yaml.ScalarNode, "!!int") || strings.HasPrefix(n.Value, "-") || len(n.Value) > 6 {
			r.complain(n, path, "is not a whole number from 0 to 999999")
		}
	case "list":
		if !is(yaml.SequenceNode) {
			r.complain(n, path, "is not a list; write its entries beneath it, each after a dash")
			return
		}
		for i, item := range n.Content {
			r.check(item, f.item, fmt.Sprintf("%s[%d]", path, i))
		}
	case "group":
		r.checkGroup(n, f, path)
	default:
		r.checkConfigs(n, path)
	}
}

func (r *authReader) checkGroup(n *yaml.Node, f *layout, path string) {
	if n.Kind != yaml.MappingNode {
		what := "is not a group; write its members beneath it"
		if path == "" {
			what = "is no authentication file; write auth: with an entry for each user"
		}
		r.complain(n, path, what)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := strings.TrimPrefix(path+"."+settings.Quote(key.Value), ".")
		if line, twice := seen[key.Value]; twice {
			r.complain(key, name, fmt.Sprintf("was given before, at line %d; keep one of the two", line))
			continue
		}
		seen[key.Value] = key.Line
		inner := f.of(key.Value)
		if inner == nil {
			what := "is not known here"
			if meant := settings.Suggest(key.Value, f.names()); meant != "" {
				what += "; did you mean " + meant + "?"
			} else {
				what += "; known are " + strings.Join(f.names(), ", ")
			}
			r.complain(key, name, what)
			continue
		}
		r.check(value, inner, strings.TrimPrefix(path+"."+key.Value, "."))
	}
}

// checkConfigs wants texts by their names: they are for other tools, and nothing is made of them.
func (r *authReader) checkConfigs(n *yaml.Node, path string) {
	if n.Kind != yaml.MappingNode {
		r.complain(n, path, "is not a group; write its members beneath it")
		return
	}
	for i := 1; i < len(n.Content); i += 2 {
		if v := followed(n.Content[i]); v.Kind != yaml.ScalarNode {
			r.complain(v, path+"."+settings.Quote(n.Content[i-1].Value), "is a list or a group; write one text")
		}
	}
}

// merged is the user's node with what the template adds to it.
func merged(n, template *yaml.Node) *yaml.Node {
	n = followed(n)
	if n.Kind != yaml.MappingNode || template == nil || template.Kind != yaml.MappingNode {
		return n
	}
	m := *n
	m.Content = nil
	given := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, followed(n.Content[i+1])
		if null(value) {
			continue
		}
		if t := child(template, name); t != nil {
			value = merged(value, t)
		}
		m.Content = append(m.Content, n.Content[i], value)
		given[name] = true
		for _, group := range exclusive {
			if slices.Contains(group, name) {
				for _, other := range group {
					given[other] = true
				}
			}
		}
	}
	for i := 0; i+1 < len(template.Content); i += 2 {
		if name := template.Content[i].Value; !given[name] && name != "name" && !null(followed(template.Content[i+1])) {
			m.Content = append(m.Content, template.Content[i], template.Content[i+1])
		}
	}
	return &m
}

// judge says what is missing or too much once the template is in.
func (r *authReader) judge(n *yaml.Node, path string, u *fileUser) {
	at := func(names ...string) *yaml.Node {
		found := n
		for _, name := range names {
			if c := child(found, name); c != nil {
				found = c
			}
		}
		return found
	}
	if u.Name == "" {
		r.complain(n, path, "has no name; give each user one")
	}
	if len(u.Fixed) == 0 && u.Login == nil {
		r.complain(n, path, "has neither fixedHeaders nor loginEndpointAuth; give one of them")
	}
	r.judgeHeaders(at("fixedHeaders"), path+".fixedHeaders", u.Fixed)
	if u.Create != nil && u.Login == nil {
		r.complain(at("createUsers"), path+".createUsers", "creates a user that cannot sign in; give loginEndpointAuth too")
	}
	if u.Login != nil {
		r.judgeLogin(at, path+".loginEndpointAuth", u.Login)
	}
	if c := u.Create; c != nil {
		node, path := at("createUsers"), path+".createUsers"
		r.judgeAddress(node, path, c.Endpoint, c.External)
		for _, m := range []struct {
			name    string
			missing bool
		}{
			{"verb", c.Verb == ""},
			{"contentType", c.ContentType == ""},
			{"payloadRaw", c.Raw == nil},
			{"generators", len(c.Generators) == 0},
		} {
			if m.missing {
				r.complain(node, path, "has no "+m.name)
			}
		}
		for i, g := range c.Generators {
			at := fmt.Sprintf("%s.generators[%d]", path, i)
			switch {
			case g.PlaceHolder == "":
				r.complain(node, at, "has no placeHolder")
			case g.MaxLength > 0 && g.MaxLength < max(g.MinLength, len(g.Prefix)+len(g.Postfix)+1):
				r.complain(node, at, "has a maxLength that leaves no room; make it larger")
			}
		}
	}
}

func (r *authReader) judgeHeaders(n *yaml.Node, path string, headers []Line) {
	for i, h := range headers {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case !isToken(h.Name):
			r.complain(n, at+".name", "is not the name of a header field")
		case h.Value == "":
			r.complain(n, at, "has no value")
		case !sendable("header", h.Value):
			r.complain(n, at+".value", "holds a control character, which a header cannot")
		}
	}
}

func (r *authReader) judgeAddress(n *yaml.Node, path, endpoint, external string) {
	switch {
	case endpoint == "" && external == "":
		r.complain(n, path, "says neither endpoint nor externalEndpointURL; give one of them")
	case endpoint != "" && external != "":
		r.complain(n, path, "says both endpoint and externalEndpointURL; give one of them")
	case external != "":
		if _, _, wrong := split(external); wrong != "" {
			r.complain(n, path+".externalEndpointURL", wrong)
		}
	case !strings.HasPrefix(endpoint, "/") || strings.HasPrefix(endpoint, "//"):
		r.complain(n, path+".endpoint", "does not begin with one slash; for another server write externalEndpointURL")
	case strings.ContainsFunc(endpoint, func(c rune) bool { return c <= ' ' || c > '~' || c == '#' }):
		r.complain(n, path+".endpoint", "holds a character that a path cannot; percent-encode it")
	}
}

func (r *authReader) judgeLogin(at func(...string) *yaml.Node, path string, l *fileLogin) {
	node := at("loginEndpointAuth")
	r.judgeAddress(node, path, l.Endpoint, l.External)
	if l.Verb == "" {
		r.complain(node, path, "has no verb, such as POST")
	}
	if l.Raw != nil && l.UserPwd != nil {
		r.complain(node, path, "has both payloadRaw and payloadUserPwd; give one of them")
	}
	r.judgeHeaders(at("loginEndpointAuth", "headers"), path+".headers", l.Headers)
	if l.ContentType != "" && !sendable("header", l.ContentType) {
		r.complain(node, path+".contentType", "holds a control character, which a header cannot")
	}
	if p := l.UserPwd; p != nil {
		node := at("loginEndpointAuth", "payloadUserPwd")
		for _, m := range [][2]string{
			{"username", p.Username}, {"password", p.Password}, {"usernameField", p.UsernameField}, {"passwordField", p.PasswordField},
		} {
			if m[1] == "" {
				r.complain(node, path+".payloadUserPwd", "has no "+m[0])
			}
		}
		if kind := contentKind(l.ContentType); kind == "" {
			r.complain(at("loginEndpointAuth", "contentType"), path+".contentType", "is neither application/json nor application/x-www-form-urlencoded; for another one write payloadRaw")
		}
	}
	switch t := l.Token; {
	case t == nil && !l.ExpectCookies:
		r.complain(node, path, "says neither token nor expectCookies: true; give one of them")
	case t != nil && l.ExpectCookies:
		r.complain(node, path, "says both token and expectCookies: true; give one of them")
	case t != nil:
		r.judgeToken(at("loginEndpointAuth", "token"), path+".token", t)
	}
}

func (r *authReader) judgeToken(n *yaml.Node, path string, t *fileToken) {
	old := t.ExtractFromField != "" || t.HTTPHeaderName != "" || t.HeaderPrefix != nil
	today := t.ExtractFrom != "" || t.ExtractSelector != "" || t.SendIn != "" || t.SendName != "" || t.SendTemplate != nil
	switch {
	case old && today:
		r.complain(n, path, "mixes two spellings; keep to extractFrom, extractSelector, sendIn, sendName and sendTemplate, or to "+
			"extractFromField, httpHeaderName and headerPrefix")
		return
	case old:
		if t.ExtractFromField == "" {
			r.complain(n, path, "has no extractFromField")
		}
		if t.HTTPHeaderName == "" {
			r.complain(n, path, "has no httpHeaderName")
		}
	default:
		for _, m := range [][2]string{
			{"extractFrom", t.ExtractFrom}, {"extractSelector", t.ExtractSelector}, {"sendIn", t.SendIn}, {"sendName", t.SendName},
		} {
			if m[1] == "" {
				r.complain(n, path, "has no "+m[0])
			}
		}
		if t.SendTemplate != nil && !strings.Contains(*t.SendTemplate, "{token}") {
			r.complain(n, path+".sendTemplate", "has no {token} in it")
		}
	}
	take := t.take()
	if take.In != "query" && take.Name != "" && !isToken(take.Name) {
		r.complain(n, path, "sends the token under a name that a "+take.In+" cannot have")
	}
	if !sendable("header", take.Template) {
		r.complain(n, path, "sends the token with a control character, which a header cannot hold")
	}
}

// take is the token's handling, whichever way it is spelled.
func (t *fileToken) take() Take {
	if t.ExtractFromField != "" || t.HTTPHeaderName != "" {
		prefix := ""
		if t.HeaderPrefix != nil {
			prefix = *t.HeaderPrefix
		}
		return Take{From: fromBody, Selector: asPointer(t.ExtractFromField), In: "header", Name: t.HTTPHeaderName, Template: prefix + "{token}"}
	}
	take := Take{From: t.ExtractFrom, Selector: t.ExtractSelector, In: t.SendIn, Name: t.SendName, Template: "{token}"}
	if t.SendTemplate != nil {
		take.Template = *t.SendTemplate
	}
	if take.From == fromBody {
		take.Selector = asPointer(take.Selector)
	}
	return take
}

// asPointer is the JSON pointer that is meant: a name alone is one of the body's own members.
func asPointer(selector string) string {
	if strings.HasPrefix(selector, "/") {
		return selector
	}
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(selector)
}

// contentKind is "json" or "form", "" for what is neither.
func contentKind(mediaType string) string {
	t, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch t = strings.TrimSpace(t); {
	case t == "application/json" || strings.HasSuffix(t, "+json"):
		return "json"
	case t == "application/x-www-form-urlencoded":
		return "form"
	}
	return ""
}

// add takes the user in, and what of it is to be hidden.
func (a *AuthFile) add(r *authReader, n *yaml.Node, path string, u fileUser) {
	a.users = append(a.users, u)
	if u.Mock {
		a.notes = append(a.notes, "the user "+settings.Quote(u.Name)+" asks for mocked replies from another service, which only a tool inside the API can set up; its requests may be refused")
	}
	for i, h := range u.Fixed {
		if wrong := a.hideHeader(u.Name, h); wrong != "" {
			r.complain(n, fmt.Sprintf("%s.fixedHeaders[%d]:", path, i), wrong)
		}
	}
	if l := u.Login; l != nil {
		for i, h := range l.Headers {
			if wrong := a.hideHeader(u.Name, h); wrong != "" {
				r.complain(n, fmt.Sprintf("%s.loginEndpointAuth.headers[%d]:", path, i), wrong)
			}
		}
		if body := l.body(); body != nil {
			a.hidePayload(u.Name, *body, l.ContentType, l.UserPwd)
		}
	}
	if c := u.Create; c != nil && c.Raw != nil {
		a.hidePayload(u.Name, *c.Raw, c.ContentType, nil)
	}
}

// notSecret are header fields whose value is nothing to hide.
var notSecret = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent", "Origin", "Referer", "X-Requested-With"}

func (a *AuthFile) hideHeader(user string, h Line) (wrong string) {
	if slices.ContainsFunc(notSecret, func(name string) bool { return strings.EqualFold(name, h.Name) }) {
		return ""
	}
	k := &key{meaning: "the value of the header " + h.Name + " of the user " + user}
	if wrong = k.hideHeader(h.Value); wrong == "" {
		a.hidden = append(a.hidden, k)
	}
	return wrong
}

// hidePayload hides what is secret in the content of a sign-in. Where that cannot be told, or is too short to be hidden
// in every text, the content as a whole is hidden.
func (a *AuthFile) hidePayload(user, body, contentType string, known *filePassword) {
	k := &key{meaning: "the password of the user " + user}
	var found []string
	switch kind := contentKind(contentType); {
	case known != nil:
		found = []string{known.Password}
	case kind == "form":
		values, _ := url.ParseQuery(body)
		for name, list := range values {
			if secretName.MatchString(plainName(name)) {
				found = append(found, list...)
			}
		}
		slices.Sort(found)
	default:
		eachText(decode([]byte(body)), "", 0, func(name, text string) {
			if secretName.MatchString(plainName(name)) {
				found = append(found, text)
			}
		})
	}
	whole := len(found) == 0
	for _, text := range found {
		whole = k.hide(text) != "" || whole
	}
	if whole {
		if utf8.RuneCountInString(body) >= shortest {
			k.hide(body)
			k.meaning = "the content with which the user " + user + " signs in"
		}
		if len(found) > 0 {
			a.notes = append(a.notes, fmt.Sprintf("the password of the user %s has fewer than %d characters: it is hidden in the sign-in alone", settings.Quote(user), shortest))
		}
	}
	if len(k.secrets) > 0 {
		a.hidden = append(a.hidden, k)
	}
}

// body is the content of the request that signs in, nil for none.
func (l *fileLogin) body() *string {
	p := l.UserPwd
	if p == nil {
		return l.Raw
	}
	var text string
	if contentKind(l.ContentType) == "form" {
		text = url.QueryEscape(p.UsernameField) + "=" + url.QueryEscape(p.Username) + "&" + url.QueryEscape(p.PasswordField) + "=" + url.QueryEscape(p.Password)
	} else {
		quote := func(s string) string {
			var b strings.Builder
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			_ = e.Encode(s) // a text always can be
			return strings.TrimSuffix(b.String(), "\n")
		}
		text = "{" + quote(p.UsernameField) + ":" + quote(p.Username) + "," + quote(p.PasswordField) + ":" + quote(p.Password) + "}"
	}
	return &text
}

// login is the user's sign-in.
func (u *fileUser) login(user int) *Login {
	f := u.Login
	if f == nil {
		return nil
	}
	l := &Login{User: user, Method: f.Verb, Target: f.Endpoint, Take: Take{From: fromCookies}}
	if f.External != "" {
		l.Elsewhere, l.Target, _ = split(f.External)
	}
	if f.Token != nil {
		l.Take = f.Token.take()
	}
	l.Ways = []Way{{Header: withContentType(f.Headers, f.ContentType, f.body() != nil), Body: f.body()}}
	if c := u.Create; c != nil {
		l.Creation = &Creation{Method: c.Verb, Target: c.Endpoint, Way: Way{withContentType(nil, c.ContentType, true), c.Raw}}
		if c.External != "" {
			l.Creation.Elsewhere, l.Creation.Target, _ = split(c.External)
		}
		for _, g := range c.Generators {
			l.Creation.Generators = append(l.Creation.Generators, Generator(g))
		}
	}
	return l
}

// withContentType are the header fields with Accept and, for a request with content, Content-Type, where they do not
// say so themselves.
func withContentType(given []Line, contentType string, content bool) []Line {
	has := func(name string) bool {
		return slices.ContainsFunc(given, func(l Line) bool { return strings.EqualFold(l.Name, name) })
	}
	var all []Line
	if !has("Accept") {
		all = append(all, Line{"Accept", "application/json, */*;q=0.5"})
	}
	if content && contentType != "" && !has("Content-Type") {
		all = append(all, Line{"Content-Type", contentType})
	}
	return append(all, given...)
}
