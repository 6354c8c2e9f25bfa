package main

import (
	"slices"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

// formats are what a report can be written as besides report.json.
var formats = []reporter.Format{}

// formatsNamed are those that report.formats names.
func formatsNamed(text string) []reporter.Format {
	named := settings.FormatsIn(text)
	var chosen []reporter.Format
	for _, f := range formats {
		if slices.Contains(named, f.Name) {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

// formatFiles are the names of all the files that a report can be written as.
func formatFiles() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.File)
	}
	return names
}
