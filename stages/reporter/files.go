package reporter

import (
	"context"
	"fmt"

	"github.com/restest/restest/settings/credentials"
)

// mostFileBytes bounds the document's files that a recording holds, all together.
const mostFileBytes = 32 << 20

// Files are a document's files as they were read, the document itself first. The zero Files holds none.
type Files struct {
	files []file
	size  int
}

type file struct {
	location string
	content  []byte
}

// Keep reads as read does, and keeps what was read. All is let go once it is more than a recording holds.
func (f *Files) Keep(read func(context.Context, string) ([]byte, error)) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, location string) ([]byte, error) {
		content, err := read(ctx, location)
		if err != nil {
			return nil, err
		}
		f.size += len(content)
		f.files = append(f.files, file{location, content})
		if f.size > mostFileBytes {
			f.files = nil
		}
		return content, nil
	}
}

// note says why a recording does not hold the files, "" if it does.
func (f *Files) note() string {
	if f == nil || f.size <= mostFileBytes {
		return ""
	}
	return fmt.Sprintf("the document's files are larger than %d MiB in all, so the recording does not hold them; restest sim needs --document", mostFileBytes>>20)
}

// lines are the files as a recording has them.
func (f *Files) lines(mask *credentials.Mask) []FileLine {
	if f == nil {
		return nil
	}
	var lines []FileLine
	for _, file := range f.files {
		content := mask.Text(string(file.content))
		lines = append(lines, FileLine{mask.Text(file.location), Text(content), content != string(file.content)})
	}
	return lines
}
