package reporter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Directory is where a run's files go. One that also has a String method is shown to people by what that gives, from
// one that has a Remove method a report is removed that could be written in part only.
type Directory interface {
	// Create opens a new file of that name for writing.
	Create(name string) (io.WriteCloser, error)
}

// Folder is a Directory on the disk.
type Folder struct{ path string }

// NewFolder makes the folder if there is none, sees that files can be made in it, and removes from it what an earlier
// run has written, more names of files among it, so that an old report is never taken for this run's. Other files in it are
// left alone.
func NewFolder(path string, more ...string) (*Folder, error) {
	return folder(path, append([]string{ReportName, RecordingName}, more...))
}

// ReopenFolder is NewFolder for a report that is made again: a recording that lies there stays.
func ReopenFolder(path string, more ...string) (*Folder, error) {
	return folder(path, append([]string{ReportName}, more...))
}

func folder(path string, remove []string) (*Folder, error) {
	if at, err := os.Stat(path); err == nil && !at.IsDir() {
		return nil, fmt.Errorf("the report cannot go into %s, which is no folder", path)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("no folder can be made for the report: %w", err)
	}
	for _, name := range remove {
		if err := os.Remove(filepath.Join(path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("an earlier run's file cannot be removed: %w", err)
		}
	}
	f := &Folder{path}
	probe, err := f.Create(ReportName)
	if err != nil {
		return nil, fmt.Errorf("no report can be written: %w", err)
	}
	return f, errors.Join(probe.Close(), f.Remove(ReportName))
}

// Create opens a new file in the folder; a name can have a folder of its own before a slash.
func (f *Folder) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(f.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// Open opens a file of the folder for reading.
func (f *Folder) Open(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.path, filepath.FromSlash(name)))
}

// Remove removes a file from the folder.
func (f *Folder) Remove(name string) error { return os.Remove(filepath.Join(f.path, name)) }

// String is the folder's path.
func (f *Folder) String() string { return f.path }
