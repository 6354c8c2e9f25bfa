package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/reporter/formats"
	"github.com/restest/restest/stages/reporter/page"
)

// allFormats are what a report can be written as besides report.json.
var allFormats = append(formats.All(), page.Format())

// formatsNamed are those that report.formats names.
func formatsNamed(text string) []reporter.Format {
	named := settings.FormatsIn(text)
	return slices.DeleteFunc(slices.Clone(allFormats), func(f reporter.Format) bool { return !slices.Contains(named, f.Name) })
}

// formatFiles are the names of all the files that a report can be written as.
func formatFiles() []string {
	var names []string
	for _, f := range allFormats {
		names = append(names, f.File)
	}
	return names
}

// tellGitHub annotates the document and writes the job's summary where the run is a step of GitHub Actions.
func tellGitHub(told *reporter.Report, environ []string, out io.Writer) error {
	if told == nil || environment(environ, "GITHUB_ACTIONS") != "true" {
		return nil
	}
	if err := formats.Annotations(out, told); err != nil {
		return err
	}
	path := environment(environ, "GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the job's summary cannot be written: %w", err)
	}
	err = formats.Markdown(file, told, nil)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}
