package formats

import (
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/restest/restest/stages/reporter"
)

// The members of a SARIF log (OASIS SARIF 2.1.0) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"version"`
		InformationURI  string      `json:"informationUri,omitempty"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string            `json:"id"`
		Name             string            `json:"name"`
		ShortDescription sarifText         `json:"shortDescription"`
		Properties       map[string]string `json:"properties"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ExitCode                   int                 `json:"exitCode"`
		StartTimeUTC               string              `json:"startTimeUtc"`
		EndTimeUTC                 string              `json:"endTimeUtc"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		OccurrenceCount     int64             `json:"occurrenceCount"`
		Suppressions        []sarifSuppress   `json:"suppressions,omitempty"`
		Properties          map[string]string `json:"properties,omitempty"`
	}
	sarifSuppress struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
		LogicalLocations []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
)

// SARIF writes the findings as report.sarif. Each is located where its operation stands in the document.
func SARIF(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	codes := map[string]bool{}
	for i := range told.Findings {
		codes[told.Findings[i].Code] = true
	}
	rules, index := []sarifRule{}, map[string]int{}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		index[code] = len(rules)
		fault := reporter.FaultOf(code)
		rules = append(rules, sarifRule{
			ID: code, Name: fault.ID, ShortDescription: sarifText{fault.Name},
			Properties: map[string]string{"faultCatalogue": told.FaultCatalogue.Name + " " + told.FaultCatalogue.Version},
		})
	}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: told.Tool.Name, SemanticVersion: told.Tool.Version, Rules: rules}},
		Invocations: []sarifInvocation{{
			ExecutionSuccessful: len(told.OwnFailures) == 0, ExitCode: told.Verdict.ExitCode,
			StartTimeUTC: told.Run.Started, EndTimeUTC: told.Run.Ended,
		}},
		Results: []sarifResult{}, ColumnKind: "utf16CodeUnits",
	}
	for _, f := range told.OwnFailures {
		run.Invocations[0].ToolExecutionNotifications = append(run.Invocations[0].ToolExecutionNotifications,
			sarifNotification{"error", sarifText{f.Message}})
	}
	for i := range told.Findings {
		f := &told.Findings[i]
		var suppressed []sarifSuppress
		if f.Known != nil {
			suppressed = []sarifSuppress{{"external", "accepted", f.Known.Reason}}
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Code, RuleIndex: index[f.Code], Level: sarifLevel(f), Message: sarifText{sarifMessage(f)},
			Locations:           []sarifLocation{sarifLocationOf(operationOf(told, f.Operation))},
			PartialFingerprints: map[string]string{"restestFinding/v1": f.ID},
			OccurrenceCount:     max(f.Count, 1),
			Suppressions:        suppressed,
			Properties:          map[string]string{"certainty": f.Certainty, "recheck": f.Recheck.State, "curl": f.Curl},
		})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifLevel(f *reporter.FindingInFull) string {
	switch {
	case f.Known == nil && !f.Counts():
		return "note"
	case f.Level == "error":
		return "error"
	}
	return "warning"
}

func sarifMessage(f *reporter.FindingInFull) string {
	text := oneLine(f.Title)
	if f.Expected != "" {
		text += ". Expected: " + oneLine(f.Expected)
	}
	if f.Got != "" {
		text += ". Got: " + oneLine(f.Got)
	}
	return text + "."
}

func sarifLocationOf(op *reporter.OperationTold) sarifLocation {
	name := op.ID
	if op.Method != "" {
		name = op.Method + " " + op.Path
	}
	location := sarifLocation{LogicalLocations: []sarifLogical{{name, "function"}}}
	if at := op.Declared; at.File != "" && at.File != "-" {
		location.PhysicalLocation = &sarifPhysical{ArtifactLocation: sarifArtifact{uri(at.File)}}
		if at.Line > 0 {
			location.PhysicalLocation.Region = &sarifRegion{at.Line, at.Column}
		}
	}
	return location
}

// uri is a file's name, or its address, as a URI reference (RFC 3986).
func uri(file string) string {
	if strings.Contains(file, "://") {
		return file
	}
	path := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}
