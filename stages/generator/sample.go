package generator

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

// samples are the smallest contents of types that a reader takes for what they are.
var samples = sync.OnceValue(func() map[string][]byte {
	picture := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Gray{0x7e}})
	encoded := func(encode func(b *bytes.Buffer) error) []byte {
		var b bytes.Buffer
		if encode(&b) != nil {
			return nil // a buffer takes everything
		}
		return b.Bytes()
	}
	all := map[string][]byte{
		"image/png":  encoded(func(b *bytes.Buffer) error { return png.Encode(b, picture) }),
		"image/gif":  encoded(func(b *bytes.Buffer) error { return gif.Encode(b, picture, nil) }),
		"image/jpeg": encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, picture, nil) }),
		"image/svg+xml": []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1"/></svg>` +
			"\n"),
		"application/pdf": onePage(),
		"application/zip": encoded(func(b *bytes.Buffer) error {
			z := zip.NewWriter(b)
			w, err := z.CreateHeader(&zip.FileHeader{Name: "file.txt", Method: zip.Store})
			if err != nil {
				return err
			}
			if _, err := w.Write([]byte("text\n")); err != nil {
				return err
			}
			return z.Close()
		}),
		"application/gzip": encoded(func(b *bytes.Buffer) error {
			w := gzip.NewWriter(b)
			if _, err := w.Write([]byte("text\n")); err != nil {
				return err
			}
			return w.Close()
		}),
		"audio/wav":         silence(),
		"application/x-tar": make([]byte, 1024), // an archive of nothing (POSIX pax: two blocks of zeros)
	}
	for alias, of := range map[string]string{
		"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/*": "image/png", "application/x-zip-compressed": "application/zip",
		"application/x-zip": "application/zip", "application/java-archive": "application/zip", "application/x-gzip": "application/gzip",
		"audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/*": "audio/wav",
	} {
		all[alias] = all[of]
	}
	return all
})

// onePage is a PDF document of one empty page, its table of places exact (ISO 32000-1 §7.5).
func onePage() []byte {
	b := []byte("%PDF-1.4\n")
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Resources<<>>>>",
	}
	table := "xref\n0 4\n0000000000 65535 f \n"
	for i, object := range objects {
		place := itoa(len(b))
		table += strings.Repeat("0", 10-len(place)) + place + " 00000 n \n"
		b = append(b, itoa(i+1)+" 0 obj"+object+"endobj\n"...)
	}
	return append(b, table+"trailer<</Size 4/Root 1 0 R>>\nstartxref\n"+itoa(len(b))+"\n%%EOF\n"...)
}

// silence is a sound of one sample: RIFF, WAVE, 8 kHz, mono, 8 bits.
func silence() []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x02\x00\x00\x00\x80\x80")
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// extensions are what the names of files of a type end in.
var extensions = map[string]string{
	"image/png": "png", "image/jpeg": "jpg", "image/jpg": "jpg", "image/gif": "gif", "image/svg+xml": "svg", "application/pdf": "pdf",
	"application/zip": "zip", "application/gzip": "gz", "application/x-tar": "tar", "audio/wav": "wav", "text/csv": "csv",
	"text/html": "html", "text/markdown": "md", "application/json": "json", "application/xml": "xml", "text/xml": "xml",
	"application/yaml": "yaml", "application/x-yaml": "yaml",
}

// fileName is a name for the nth file of its kind in a request, from 0.
func fileName(contentType string, nth int) string {
	extension := extensions[strings.ToLower(document.Essence(contentType))]
	switch {
	case extension != "":
	case kindOf(contentType) == textKind:
		extension = "txt"
	default:
		extension = "bin"
	}
	if nth == 0 {
		return "file." + extension
	}
	return "file" + itoa(nth+1) + "." + extension
}

// file is the content of a file of the type, of at least low and at most high bytes (-1 without a bound). Where no
// small file of the type has that size, it is bytes of that size; a shape that allows text asks for no more than can be
// sent.
func file(r *rand.Rand, contentType string, low, high int64) []byte {
	var data []byte
	essence := strings.ToLower(document.Essence(contentType))
	if data = samples()[essence]; data == nil {
		switch kindOf(contentType) {
		case textKind:
			if data = []byte(values.Phrase(r) + "\n"); isCSV(essence) {
				data = table(r)
			}
		case jsonKind, yamlKind:
			data = []byte(`{"` + values.Phrase(r) + `": ` + itoa(r.IntN(100)) + "}\n")
		case sequenceKind:
			data = []byte(`{"` + values.Phrase(r) + `": ` + itoa(r.IntN(100)) + "}\n")
			if isJSONSeq(essence) {
				data = append([]byte{recordSeparator}, data...)
			}
		case xmlKind:
			data = []byte("<file>" + values.Phrase(r) + "</file>\n")
		default:
			data = noise(r, 16+r.IntN(48))
		}
	}
	if size := int64(len(data)); size >= low && (high < 0 || size <= high) {
		return data
	}
	return noise(r, int(max(low, min(64, high))))
}

// noise is so many bytes of every kind.
func noise(r *rand.Rand, size int) []byte {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func isCSV(essence string) bool { return essence == "text/csv" || essence == "application/csv" }

// table is content of text/csv: a line of names and a few of values (RFC 4180).
func table(r *rand.Rand) []byte {
	var b []byte
	b = append(b, "id,name\r\n"...)
	for i := range 1 + r.IntN(3) {
		b = append(b, itoa(i+1)+","+values.Phrase(r)+"\r\n"...)
	}
	return b
}
