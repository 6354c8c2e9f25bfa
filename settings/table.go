package settings

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// kind is what sort of value a setting takes.
type kind int

const (
	isSwitch   kind = iota // true or false
	isNumber               // a whole number
	isChance               // a number between 0 and 1
	isDuration             // 500ms, 30s, 5m, 2h or bare seconds
	isText
)

// setting is one row of the table: a field of Settings with the rule it keeps to.
type setting struct {
	name  string // "engine.readTimeout"
	group string // "engine"
	key   string // "readTimeout"
	index []int  // where the field is, for reflect
	kind  kind
	rule
}

// table holds every setting in the order of Settings, which is the order they are shown and printed in.
var table = func() []setting {
	var rows []setting
	groups := reflect.TypeFor[Settings]()
	for i := range groups.NumField() {
		group := groups.Field(i)
		for j := range group.Type.NumField() {
			field := group.Type.Field(j)
			row := setting{
				group: group.Tag.Get("yaml"),
				key:   field.Tag.Get("yaml"),
				index: []int{i, j},
				kind:  kindOf(field.Type),
			}
			row.name = row.group + "." + row.key
			row.rule = rules[row.name]
			rows = append(rows, row)
		}
	}
	return rows
}()

// rowOf finds a setting's row in the table by its name.
var rowOf = func() map[string]int {
	rows := make(map[string]int, len(table))
	for i, s := range table {
		rows[s.name] = i
	}
	return rows
}()

func kindOf(t reflect.Type) kind {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return isDuration
	case t.Kind() == reflect.Bool:
		return isSwitch
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return isNumber
	case t.Kind() == reflect.Float64:
		return isChance
	case t.Kind() == reflect.String:
		return isText
	}
	panic(fmt.Sprintf("settings: a field of type %s cannot be a setting", t))
}

// Names are the names of all settings, in the order of their groups.
func Names() []string {
	names := make([]string, len(table))
	for i, s := range table {
		names[i] = s.name
	}
	return names
}

// Groups are the names of the groups, in their order.
func Groups() []string {
	var groups []string
	for _, s := range table {
		if len(groups) == 0 || groups[len(groups)-1] != s.group {
			groups = append(groups, s.group)
		}
	}
	return groups
}

// field is where the setting's value is kept.
func (s *setting) field(in *Settings) reflect.Value {
	return reflect.ValueOf(in).Elem().FieldByIndex(s.index)
}

// text is the setting's value as it is written in a settings file, quotes left out.
func (s *setting) text(in *Settings) string {
	v := s.field(in)
	switch s.kind {
	case isSwitch:
		return fmt.Sprint(v.Bool())
	case isNumber:
		return fmt.Sprint(v.Int())
	case isChance:
		return fmt.Sprint(v.Float())
	case isDuration:
		return FormatDuration(time.Duration(v.Int()))
	default:
		return v.String()
	}
}

// variable is the environment variable the setting can be given in.
func (s *setting) variable() string {
	return prefix + strings.ToUpper(s.group+"_"+s.key)
}
