package sender

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
)

// mostCodings bounds how many codings are taken off one after the other.
const mostCodings = 4

// decoder takes content codings off (RFC 9110 §8.4.1). It keeps what the next reply's needs as well.
type decoder struct {
	gzip    *gzip.Reader
	content []byte // scratch
}

// decode takes the codings, listed in the order they were applied, off raw. It stops at most bytes of content; cut
// says that there are more. Only of raw that is not whole may the end be missing.
func (d *decoder) decode(raw []byte, codings []string, most int64, whole bool) (content []byte, cut bool, err error) {
	r, err := d.layers(raw, codings)
	d.content = d.content[:0]
	for err == nil && int64(len(d.content)) <= most {
		d.content = slices.Grow(d.content, 4<<10)
		spare := d.content[len(d.content):cap(d.content)]
		var n int
		n, err = r.Read(spare[:min(int64(len(spare)), most+1-int64(len(d.content)))])
		d.content = d.content[:len(d.content)+n]
	}
	switch {
	case int64(len(d.content)) > most:
		d.content, cut = d.content[:most], true
	case errors.Is(err, io.EOF) && r != nil, !whole && isEnd(err):
	default:
		return nil, false, fmt.Errorf("it cannot be unpacked (%s): %w", strings.Join(codings, ", "), err)
	}
	return giveAway(&d.content), cut, nil
}

// layers reads raw with all the codings taken off.
func (d *decoder) layers(raw []byte, codings []string) (io.Reader, error) {
	if len(codings) > mostCodings {
		return nil, fmt.Errorf("more than %d codings, one on the other", mostCodings)
	}
	var r io.Reader = bytes.NewReader(raw)
	for _, coding := range slices.Backward(codings) {
		var err error
		if r, err = d.layer(r, coding, len(codings) == 1); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// layer reads r with one coding taken off. The reader that is kept serves where it is the only one.
func (d *decoder) layer(r io.Reader, coding string, only bool) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		if !only {
			return asReader(gzip.NewReader(r))
		}
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		return asReader(d.gzip, d.gzip.Reset(r))
	case "deflate":
		// zlib as the standard has it or, as some servers send it, bare.
		start := make([]byte, 2)
		n, err := io.ReadFull(r, start)
		r = io.MultiReader(bytes.NewReader(start[:n]), r)
		if err == nil && start[0]&0x0f == 8 && (uint(start[0])<<8|uint(start[1]))%31 == 0 {
			return asReader(zlib.NewReader(r))
		}
		return flate.NewReader(r), nil
	case "br":
		return brotli.NewReader(r), nil
	case "identity":
		return r, nil
	}
	return nil, errors.New("the coding is none of " + codings)
}

// asReader is r, but nil where there is an error.
func asReader(r io.Reader, err error) (io.Reader, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
