package roads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/check"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/inspect"
)

// explained measures some ticks in every way, and asks for the report.
func explained(t *Trip) error {
	w := t.World
	stop := system.RecordTimes(w, 1)
	system.Measure(w, true)
	finite := check.Finite(w)
	conservative := t.Rand.IntN(2) == 0
	system.SetConservative(w, conservative)
	err := t.Tick(1 + t.Rand.IntN(2))
	text := system.Explain(w).String()
	finite.Stop()
	system.SetConservative(w, false)
	system.Measure(w, false)
	stop()
	if err != nil {
		return err
	}
	if text == "" {
		return errors.New("the report of the systems is empty")
	}
	_ = system.Warnings(w)
	return t.Tick(1)
}

// inspected attaches an inspector, asks every question, and changes values and changes them back,
// all between two ticks. It runs some ticks while the inspector is attached, and some after it.
func inspected(t *Trip) error {
	frames := system.FrameNumber(t.World)
	start, err := t.Mark()
	if err != nil {
		return err
	}
	if err := t.Tick(1); err != nil {
		return err
	}
	if system.FrameNumber(t.World) == frames {
		t.Idle("the world has no frames of system.Update, so no inspector sees it")
		return t.Back(start)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	v := &visitor{ctx: ctx, inspector: inspect.New(inspect.Only(t.World), inspect.Allow(inspect.Control|inspect.Edit), inspect.Token("roads"), inspect.Budget(time.Second))}
	defer v.inspector.Close()
	v.chooseEdits(t)
	done := make(chan error, 1)
	go func() { done <- v.visit() }()
	visited := false
	for !visited {
		select {
		case err = <-done:
			visited = true
		default:
			if err := t.Tick(1); err != nil {
				cancel()
				<-done
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	// An edit marks a value as changed, also if it is changed back, and systems may see that.
	if err := t.Back(start); err != nil {
		return err
	}
	if err := t.Tick(2); err != nil {
		return err
	}
	if err := v.inspector.Close(); err != nil {
		return err
	}
	return t.Tick(1)
}

// visitor asks an inspector.
type visitor struct {
	ctx       context.Context
	inspector *inspect.Inspector
	id        string // of an entity
	edits     []edit
}

// edit is a number of an entity that the visitor changes.
type edit struct{ id, component, field, value string }

// chooseEdits chooses numbers of some entities, with their present values.
func (v *visitor) chooseEdits(t *Trip) {
	var ids []ecs.Entity
	for e := range t.World.Entities() {
		ids = append(ids, e)
	}
	for range min(len(ids), 3) {
		e := ids[t.Rand.IntN(len(ids))]
		v.id = fmt.Sprintf("%d:%d", e.Index, e.Version)
		for _, typ := range t.World.ArchetypeOf(e).Types() {
			if f, ok := editable(typ); ok {
				v.edits = append(v.edits, edit{id: v.id, component: typ.PkgPath() + "." + typ.Name(), field: f})
				break
			}
		}
	}
}

// editable returns a field with a float of a plain component.
func editable(t reflect.Type) (field string, ok bool) {
	i := slices.IndexFunc(ecs.ComponentTypes(), func(c ecs.ComponentType) bool { return c.Type == t })
	if i < 0 || t.Kind() != reflect.Struct {
		return "", false
	}
	if c := ecs.ComponentTypes()[i]; c.Shared || c.Managed || c.Buffer || c.PerChunk || c.Cleanup || c.Tag {
		return "", false
	}
	for f := range t.Fields() {
		if k := f.Type.Kind(); f.IsExported() && (k == reflect.Float32 || k == reflect.Float64) {
			return f.Name, true
		}
	}
	return "", false
}

// ask sends a request, and returns the answer if its code is one of those wanted.
func (v *visitor) ask(method, path string, args url.Values, out any) error {
	r := httptest.NewRequestWithContext(v.ctx, method, "http://localhost"+path+"?"+args.Encode(), nil)
	if method == http.MethodPost {
		r = httptest.NewRequestWithContext(v.ctx, method, "http://localhost"+path, strings.NewReader(args.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("X-Lanewise-Token", "roads")
	answer := httptest.NewRecorder()
	v.inspector.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		return fmt.Errorf("inspect: %s %s?%s: %d %s", method, path, args.Encode(), answer.Code, answer.Body)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Body.Bytes(), out)
}

// visit asks all questions and makes all edits while the world is paused.
func (v *visitor) visit() (err error) {
	control := func(do string) error {
		return v.ask(http.MethodPost, "/api/control", url.Values{"do": {do}}, nil)
	}
	if err := control("pause"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, control("resume")) }()
	for _, path := range []string{"worlds", "types", "box", "frame", "order", "archetypes", "journal", "memory", "loop"} {
		if err := v.ask(http.MethodGet, "/api/"+path, nil, nil); err != nil {
			return err
		}
	}
	if v.id == "" {
		return nil
	}
	if err := v.ask(http.MethodGet, "/api/entity", url.Values{"id": {v.id}}, nil); err != nil {
		if strings.Contains(err.Error(), "does not exist") {
			return nil // it has died in the meantime
		}
		return err
	}
	for _, e := range v.edits {
		if err := v.editAndUndo(e); err != nil {
			return err
		}
	}
	return nil
}

// editAndUndo changes a number and changes it back.
func (v *visitor) editAndUndo(e edit) error {
	var found struct {
		Components []struct {
			Full  string
			Value map[string]any
		}
	}
	if err := v.ask(http.MethodGet, "/api/entity", url.Values{"id": {e.id}}, &found); err != nil {
		return nil // it has died in the meantime
	}
	for _, c := range found.Components {
		old, ok := c.Value[e.field]
		if c.Full != e.component || !ok {
			continue
		}
		for _, value := range []string{"12345", fmt.Sprint(old)} {
			args := url.Values{"id": {e.id}, "component": {e.component}, "field": {e.field}, "value": {value}}
			if err := v.ask(http.MethodPost, "/api/set", args, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
