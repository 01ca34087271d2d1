package scene

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

// Option is an option of the functions that parse, bake and read scenes.
type Option func(*options)

type options struct {
	codecs   map[reflect.Type]snapshot.Option
	maxBytes int // limit that MaxBytes has set; 0 for the default
}

// MaxBytes limits the number of bytes that a reader uses because of a text. The limit applies to
// data that may be larger than the text itself: copies of prefabs and of their children, names of
// children, lists of groups, and rows of components with a short text. If a text would need more,
// parsing returns an error before it allocates the memory. The default is 0. A limit of 0 means 128
// MiB, or 64 bytes for each byte of the text if that is more. A long scene that consists of copies
// of a few large prefabs may need a larger limit. MaxBytes panics if n is negative.
func MaxBytes(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("scene: MaxBytes: %d bytes: give 0 or more", n))
	}
	return func(o *options) { o.maxBytes = n }
}

// byteLimit returns the number of bytes that a text of the given length may use.
func (o *options) byteLimit(text int) int {
	if o.maxBytes > 0 {
		return o.maxBytes
	}
	return max(128<<20, 64*text)
}

// optionsOf applies the options of a call. optionsOf panics if an option is nil.
func optionsOf(call string, opts []Option) *options {
	o := &options{codecs: map[reflect.Type]snapshot.Option{}}
	for i, opt := range opts {
		if opt == nil {
			panic(fmt.Sprintf("scene: %s: option %d is nil", call, i))
		}
		opt(o)
	}
	return o
}

// Codec sets how baked files store a managed or shared component T, as [snapshot.Codec] does.
// Without a codec, a baked file stores the value as text. A type needs a codec only if it has
// UnmarshalText or UnmarshalJSON without the matching Marshal method.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) { o.codecs[reflect.TypeFor[T]()] = snapshot.Codec(encode, decode) }
}

// snapshot returns the options for the image in a baked file.
func (o *options) snapshot(known *catalog) (list []snapshot.Option) {
	for _, k := range known.sorted {
		if !k.Managed && !k.Shared {
			continue
		}
		if own := o.codecs[k.Type]; own != nil {
			list = append(list, own)
			continue
		}
		list = append(list, snapshot.CodecOf(k.Type, encodeText, decodeText))
	}
	return list
}

// encodeText appends a value as text. References are written as ids.
func encodeText(out []byte, v any) ([]byte, error) {
	return appendValue(out, reflect.ValueOf(v).Elem(), func(e ecs.Entity) (string, error) {
		if e.IsZero() {
			return "", nil
		}
		return fmt.Sprintf("%d %d", e.Index, e.Version), nil
	})
}

// decodeText decodes a text from encodeText.
func decodeText(in []byte, v any) error {
	d := &decoder{scanner: scanner{source: &source{"value", string(in)}}}
	if err := d.decodeValue(reflect.ValueOf(v).Elem()); err != nil {
		return err.locate()
	}
	if d.pos != len(in) {
		return d.errorAt(d.pos, "behind the value comes %s", d.describeNext()).locate()
	}
	return nil
}

// componentForm contains the name of a component in a text, and a fingerprint of the form that the
// component had when the text was baked.
type componentForm struct {
	name, fullName string
	fingerprint    [sha256.Size]byte
}

// schema returns the component names in the document, each with the form of its component.
func (d *Document) schema() (list []componentForm) {
	for name, own := range d.catalog.byName { //lanewise:inexact sorted below
		if own.usedInText {
			list = append(list, componentForm{name, own.Name, own.fingerprint()})
		}
	}
	for _, own := range d.impliedComponents {
		list = append(list, componentForm{own.Name, own.Name, own.fingerprint()})
	}
	slices.SortFunc(list, func(a, b componentForm) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(list, func(a, b componentForm) bool { return a.name == b.name })
}

// sameForms reports whether each name in list still refers to the same component, and whether the
// component still has the same form.
func (c *catalog) sameForms(list []componentForm) bool {
	for _, s := range list {
		own := c.byName[s.name]
		if own == nil || own.componentInfo == nil || own.Name != s.fullName || own.fingerprint() != s.fingerprint {
			return false
		}
	}
	return true
}

// fingerprint returns a checksum of the component's kind and of the types of its fields.
func (k *componentInfo) fingerprint() [sha256.Size]byte {
	var out strings.Builder
	fmt.Fprint(&out, k.Shared, k.Cleanup, k.Enableable, k.Managed, k.Buffer, k.PerChunk, k.Tag)
	t := k.Type
	if k.plan != nil {
		t = k.plan.typ // use the type that a text shows, and not the memory of a Buffer
	}
	describe(&out, t, map[reflect.Type]bool{})
	return sha256.Sum256([]byte(out.String()))
}

// describe writes the form of a type.
func describe(out *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintf(out, " %s", t.Kind())
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(jsonUnmarshaler) {
		out.WriteString(" by itself") // the type decodes itself, so its fields do not matter
		return
	}
	if seen[t] {
		out.WriteString(t.String())
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Type.Size() > 0 {
				fmt.Fprintf(out, " %q", f.Name)
				describe(out, f.Type, seen)
			}
		}
	case reflect.Array:
		fmt.Fprint(out, t.Len())
		describe(out, t.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		describe(out, t.Elem(), seen)
	case reflect.Map:
		describe(out, t.Key(), seen)
		describe(out, t.Elem(), seen)
	}
}
