package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages/reporter"
)

// scenario is what a scenario file says: what is tested, how, and what the API does.
type scenario struct {
	doc      *document.Document
	files    reporter.Files
	url      string
	api      paper.API
	seed     uint64
	budget   time.Duration
	settings []settings.Flag
}

// nowhere is the address of an API on paper.
const nowhere = "http://localhost"

// readScenario reads a scenario file, YAML or JSON. What is not known in it is refused. The document, unless another is
// given, is named in it, seen from its folder.
func readScenario(ctx context.Context, file, other string) (*scenario, error) {
	content, err := readFile(file, mostSettings)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(file), err)
	}
	root, err := parseOne(content)
	if err != nil {
		return nil, fmt.Errorf("%s is neither YAML nor JSON: %s", settings.Quote(file), strings.Join(strings.Fields(err.Error()), " "))
	}
	r := &scenarioReader{file: file}
	s := &scenario{seed: 1, budget: time.Minute, url: nowhere}
	top := r.members(root, "document", "url", "seed", "budget", "settings", "api")
	name := other
	if n := top["document"]; n != nil && other == "" {
		if name = r.text(n); name != "" && !filepath.IsAbs(name) && !isAddress(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
	}
	if n := top["url"]; n != nil {
		if s.url = r.text(n); r.err == nil && checkURL(s.url) != "" {
			r.fail(n, "url %s", checkURL(s.url))
		}
	}
	if r.err == nil && name == "" {
		r.fail(root, "no document is named; write document: openapi.yaml")
	}
	if n := top["seed"]; n != nil {
		s.seed = uint64(r.number(n, 0, 1<<62))
	}
	if n := top["budget"]; n != nil {
		s.budget = r.duration(n, time.Millisecond)
	}
	if n := top["settings"]; n != nil {
		s.settings = r.settings(n)
	}
	if r.err != nil {
		return nil, r.err
	}
	if s.doc, err = document.Load(ctx, name, document.Options{URL: s.url, Read: s.files.Keep(readLocal)}); err != nil {
		return nil, err
	}
	if n := top["api"]; n != nil {
		r.doc = s.doc
		s.api = r.api(n)
	}
	return s, r.err
}

// readLocal reads a file of a document. Nothing is fetched for a simulation.
func readLocal(_ context.Context, location string) ([]byte, error) {
	if isAddress(location) {
		return nil, errors.New("a simulation fetches nothing; save it in a file")
	}
	return readFile(location, mostDocument)
}

// parseOne is the one value that YAML or JSON holds.
func parseOne(content []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var root, more yaml.Node
	switch err := loader.Load(&root); {
	case errors.Is(err, io.EOF), err == nil && len(root.Content) == 0:
		return nil, errors.New("it is empty")
	case err != nil:
		return nil, err
	}
	if err := loader.Load(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document in it")
	}
	return root.Content[0], nil
}

// scenarioReader reads the parts of a scenario. It keeps the first thing that is wrong, and goes on.
type scenarioReader struct {
	file string
	doc  *document.Document
	err  error
}

func (r *scenarioReader) fail(n *yaml.Node, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s", r.file, n.Line, fmt.Sprintf(format, args...))
	}
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// each goes over the members of a group.
func (r *scenarioReader) each(n *yaml.Node, f func(key, value *yaml.Node)) {
	if n = resolved(n); n.Kind != yaml.MappingNode {
		r.fail(n, "a group belongs here: names, each with a colon and a value")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			r.fail(key, "%s is there twice", settings.Quote(key.Value))
		}
		seen[key.Value] = true
		f(key, resolved(n.Content[i+1]))
	}
}

// members are those of a group, by their names, of which no others are known.
func (r *scenarioReader) members(n *yaml.Node, known ...string) map[string]*yaml.Node {
	found := map[string]*yaml.Node{}
	r.each(n, func(key, value *yaml.Node) {
		r.oneOf(key, key.Value, known)
		found[key.Value] = value
	})
	return found
}

// oneOf refuses a word that is not one of those known.
func (r *scenarioReader) oneOf(n *yaml.Node, word string, known []string) {
	if slices.Contains(known, word) {
		return
	}
	if meant := settings.Suggest(word, known); meant != "" {
		r.fail(n, "%s is not known here; did you mean %s?", settings.Quote(word), meant)
		return
	}
	r.fail(n, "%s is not known here; it can be %s", settings.Quote(word), strings.Join(known, ", "))
}

func (r *scenarioReader) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		r.fail(n, "one value belongs here")
		return ""
	}
	return n.Value
}

func (r *scenarioReader) word(n *yaml.Node, known []string) string {
	word := r.text(n)
	if r.err == nil {
		r.oneOf(n, word, known)
	}
	return word
}

func (r *scenarioReader) number(n *yaml.Node, least, most int64) int64 {
	text := r.text(n)
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil || i < least || i > most {
		r.fail(n, "%s is not a whole number from %d to %d", settings.Quote(text), least, most)
		return least
	}
	return i
}

func (r *scenarioReader) yes(n *yaml.Node) bool {
	return r.word(n, []string{"true", "false"}) == "true"
}

func (r *scenarioReader) duration(n *yaml.Node, least time.Duration) time.Duration {
	d, err := settings.ParseDuration(r.text(n))
	switch {
	case err != nil:
		r.fail(n, "%v", err)
	case d < least:
		r.fail(n, "%s is too short; write at least %s", n.Value, settings.FormatDuration(least))
	}
	return d
}

// list goes over the values of a list; one value alone is a list too.
func (r *scenarioReader) list(n *yaml.Node, f func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		f(n)
		return
	}
	for _, value := range n.Content {
		f(resolved(value))
	}
}

// settings are the groups of a settings file.
func (r *scenarioReader) settings(n *yaml.Node) (flags []settings.Flag) {
	r.each(n, func(group, of *yaml.Node) {
		r.oneOf(group, group.Value, settings.Groups())
		r.each(of, func(key, value *yaml.Node) {
			flags = append(flags, settings.Flag{
				Flag: fmt.Sprintf("%s:%d", r.file, key.Line), Name: group.Value + "." + key.Value, Value: r.text(value),
			})
		})
	})
	return flags
}

func (r *scenarioReader) api(n *yaml.Node) (api paper.API) {
	m := r.members(n, "latency", "jitter", "bySchema", "clockAhead", "instead", "quotas", "phases")
	api.Latency = r.latency(m["latency"], m["jitter"])
	if n := m["bySchema"]; n != nil {
		api.BySchema = r.yes(n)
	}
	if n := m["clockAhead"]; n != nil {
		api.Skew = r.duration(n, 0)
	}
	if n := m["instead"]; n != nil {
		of100 := 0
		r.list(n, func(n *yaml.Node) {
			share := r.share(n)
			if of100 += share.Of100; of100 > 100 {
				r.fail(n, "with it more than 100 of a hundred answers are others")
			}
			api.Instead = append(api.Instead, share)
		})
	}
	if n := m["quotas"]; n != nil {
		r.list(n, func(n *yaml.Node) { api.Quotas = append(api.Quotas, r.quota(n)) })
	}
	if n := m["phases"]; n != nil {
		r.list(n, func(n *yaml.Node) { api.Phases = append(api.Phases, r.phase(n)) })
	}
	return api
}

// latency is one length of time or a list of them, and how much may come on top.
func (r *scenarioReader) latency(n, jitter *yaml.Node) (l paper.Latency) {
	if n != nil {
		r.list(n, func(n *yaml.Node) { l.Classes = append(l.Classes, r.duration(n, 0)) })
	}
	if jitter != nil {
		l.Jitter = r.duration(jitter, 0)
	}
	return l
}

// operations are those named, by their ids; nil for none named.
func (r *scenarioReader) operations(n *yaml.Node) (list []int) {
	if n == nil {
		return nil
	}
	var ids []string
	for _, op := range r.doc.Operations {
		ids = append(ids, op.ID)
	}
	r.list(n, func(n *yaml.Node) {
		id := r.word(n, ids)
		list = append(list, slices.Index(ids, id))
	})
	return list
}

var fates = map[string]paper.Fate{
	"whole": paper.Replies, "drips": paper.Drips, "breaksOff": paper.BreaksOff, "closesAfter": paper.ClosesAfter,
	"closes": paper.Closes, "resets": paper.Resets, "silence": paper.Silence,
}

func (r *scenarioReader) share(n *yaml.Node) (s paper.Share) {
	m := r.members(n, "of100", "operations", "status", "fate", "location", "latency")
	s.Operations = r.operations(m["operations"])
	s.After = r.latency(m["latency"], nil)
	if n := m["of100"]; n != nil {
		s.Of100 = int(r.number(n, 1, 100))
	} else {
		r.fail(n, "of100 is missing: so many of a hundred answers")
	}
	if n := m["status"]; n != nil {
		s.Status = int(r.number(n, 200, 599))
	}
	if n := m["fate"]; n != nil {
		s.Fate = fates[r.word(n, []string{"whole", "drips", "breaksOff", "closesAfter", "closes", "resets", "silence"})]
	}
	if n := m["location"]; n != nil {
		s.Location = r.text(n)
	}
	return s
}

var forms = map[string]paper.Form{
	"none": paper.Unstated, "seconds": paper.Seconds, "date": paper.IMFFixdate, "rfc850": paper.RFC850, "asctime": paper.Asctime,
	"zero": paper.Now, "past": paper.Past, "endless": paper.Endless, "fraction": paper.Fraction, "unit": paper.WithUnit,
	"epoch": paper.Epoch, "offset": paper.Offset, "malformed": paper.Malformed,
}

func (r *scenarioReader) quota(n *yaml.Node) (q paper.Quota) {
	m := r.members(n, "operations", "per", "limiter", "limit", "window", "burst", "waiting", "status", "retryAfter", "wait", "latency")
	q.Operations = r.operations(m["operations"])
	q.Refusal.After = r.latency(m["latency"], nil)
	q.Rule.Algorithm, q.Rule.Window = limiter.FixedWindow, time.Second
	if n := m["per"]; n != nil {
		name, isHeader := strings.CutPrefix(r.text(n), "header ")
		if isHeader {
			q.ByHeader = name
		} else {
			q.Each = r.word(n, []string{"api", "operation", "header NAME"}) == "operation"
		}
	}
	if n := m["limiter"]; n != nil {
		var known []string
		for _, a := range limiter.Algorithms() {
			known = append(known, string(a))
		}
		q.Rule.Algorithm = limiter.Algorithm(r.word(n, known))
	}
	for _, count := range []struct {
		name string
		into *int64
	}{{"limit", &q.Rule.Limit}, {"burst", &q.Rule.Burst}, {"waiting", &q.Rule.Waiting}} {
		if n := m[count.name]; n != nil {
			*count.into = r.number(n, 0, 1<<40)
		}
	}
	if n := m["window"]; n != nil {
		q.Rule.Window = r.duration(n, time.Millisecond)
	}
	if n := m["status"]; n != nil {
		q.Refusal.Status = int(r.number(n, 400, 599))
	}
	if n := m["retryAfter"]; n != nil {
		known := []string{
			"none", "seconds", "date", "rfc850", "asctime", "zero", "past", "endless", "fraction", "unit", "epoch", "offset", "malformed",
		}
		q.Refusal.Form = forms[r.word(n, known)]
	}
	if n := m["wait"]; n != nil {
		q.Refusal.Wait = r.duration(n, 0)
	}
	if err := q.Rule.Check(); err != nil {
		r.fail(n, "%v", err)
	}
	return q
}

func (r *scenarioReader) phase(n *yaml.Node) (p paper.Phase) {
	m := r.members(n, "from", "to", "it", "times")
	for _, name := range []string{"from", "to", "it"} {
		if m[name] == nil {
			r.fail(n, "%s is missing; write {from: 10s, to: 12s, it: stalls}, or slows with times: 5, or dies", name)
			return p
		}
	}
	p.From, p.To = r.duration(m["from"], 0), r.duration(m["to"], 0)
	if p.To <= p.From {
		r.fail(m["to"], "the phase ends before it begins")
	}
	switch it := r.word(m["it"], []string{"stalls", "slows", "dies"}); {
	case it == "dies":
		p.Dead = true
	case it == "slows" && m["times"] != nil:
		p.Times = int(r.number(m["times"], 2, 1000))
	case it == "slows":
		r.fail(n, "times is missing: how many times slower it is")
	}
	return p
}
