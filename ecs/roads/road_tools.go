package roads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/check"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/inspect"
)

// askReport measures some ticks in every way, and asks for the report.
func askReport(t *Trip) error {
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

// askInspector attaches an inspector, asks every question, and changes values and changes them back,
// all between two ticks. It runs some ticks while the inspector is attached, and some after it.
func askInspector(t *Trip) error {
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
	v := &visitor{ctx: ctx, cancel: cancel, inspector: inspect.New(inspect.Only(t.World), inspect.Allow(inspect.Control|inspect.Edit), inspect.Budget(time.Second))}
	defer v.inspector.Close()
	v.chooseEdits(t)
	done := make(chan error, 1)
	go func() { done <- v.visit() }()
	if err := v.tickUntil(t, done); err != nil {
		return err
	}
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

// tickUntil runs ticks until the visitor is done. It compares them up to the first edit, because an
// edit marks a value as changed, and systems may see that.
func (v *visitor) tickUntil(t *Trip, done <-chan error) error {
	gone := v.addLost(t.World, nil)
	for {
		select {
		case err := <-done:
			return errors.Join(err, v.checkMissing(gone))
		default:
		}
		err := t.subject.tick(t.World)
		t.Ticks++
		if err == nil && t.check != nil && !v.edited.Load() {
			err = t.check(t.Ticks, t.World)
		}
		if err != nil {
			v.cancel()
			if stopped := <-done; !errors.Is(stopped, context.Canceled) {
				err = errors.Join(err, stopped)
			}
			return err
		}
		gone = v.addLost(t.World, gone)
		runtime.Gosched() // the visitor may wait for the only processor
	}
}

// addLost adds to gone those of the chosen entities that do not exist, and the components that the
// other chosen entities do not have.
func (v *visitor) addLost(w *ecs.World, gone map[chosen]bool) map[chosen]bool {
	if gone == nil {
		gone = map[chosen]bool{}
	}
	for _, e := range v.edits {
		if !w.Exists(e.entity) || !slices.Contains(w.ArchetypeOf(e.entity).Types(), e.typ) {
			gone[e.chosen] = true
		}
	}
	for _, e := range v.entities {
		if !w.Exists(e) {
			gone[chosen{entity: e}] = true
		}
	}
	return gone
}

// checkMissing returns an error if the inspector has called an entity dead, or has left out a
// component, but the world had it after every tick.
func (v *visitor) checkMissing(gone map[chosen]bool) error {
	for _, c := range v.missing {
		if !gone[c] && c.typ == nil {
			return fmt.Errorf("the inspector says that entity %v does not exist, and the world has it", c.entity)
		}
		if !gone[c] {
			return fmt.Errorf("the answer of the inspector about entity %v lacks %v, and the world has it", c.entity, c.typ)
		}
	}
	return nil
}

// visitor asks an inspector.
type visitor struct {
	ctx       context.Context
	cancel    func()
	inspector *inspect.Inspector
	edited    atomic.Bool // an edit may have been made
	entities  []ecs.Entity
	edits     []edit
	done      int      // number of edits that were made and undone
	dead      int      // number of entities that have died, or lost the component, before the questions
	missing   []chosen // that the inspector does not show
}

// chosen is an entity, or one of its components.
type chosen struct {
	entity ecs.Entity
	typ    reflect.Type // nil means the entity
}

// edit is a number of an entity that the visitor changes.
type edit struct {
	chosen
	id, component, field string
}

// idOf returns the form in which the inspector takes an entity.
func idOf(e ecs.Entity) string { return fmt.Sprintf("%d:%d", e.Index, e.Version) }

// chooseEdits chooses numbers of some entities.
func (v *visitor) chooseEdits(t *Trip) {
	var ids []ecs.Entity
	for e := range t.World.Entities() {
		ids = append(ids, e)
	}
	types := ecs.ComponentTypes()
	for range min(len(ids), 3) {
		e := ids[t.Rand.IntN(len(ids))]
		v.entities = append(v.entities, e)
		for _, typ := range t.World.ArchetypeOf(e).Types() {
			if component, field := editable(typ, types); field != "" {
				v.edits = append(v.edits, edit{chosen{e, typ}, idOf(e), component, field})
				break
			}
		}
	}
}

// editable returns the name of a plain component in a list, and of a field with a float, or nothing.
func editable(t reflect.Type, list []ecs.ComponentType) (component, field string) {
	for _, c := range list {
		if c.Type != t || t.Kind() != reflect.Struct || c.Shared || c.Managed || c.Buffer || c.PerChunk || c.Cleanup {
			continue
		}
		for f := range t.Fields() {
			if k := f.Type.Kind(); f.IsExported() && (k == reflect.Float32 || k == reflect.Float64) {
				return c.Name, f.Name
			}
		}
	}
	return "", ""
}

// ask sends a request and decodes the answer.
func (v *visitor) ask(method, path string, args url.Values, out any) error {
	reply := v.inspector.Answer(v.ctx, inspect.Request{Method: method, Path: path, Form: args})
	if reply.Status != 200 {
		return fmt.Errorf("inspect: %s %s?%s: %d %s", method, path, args.Encode(), reply.Status, reply.Data)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(reply.Data, out)
}

// visit asks all questions and makes all edits while the world is paused.
func (v *visitor) visit() (err error) {
	control := func(do string) error {
		return v.ask("POST", "/api/control", url.Values{"do": {do}}, nil)
	}
	if err := control("pause"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, control("resume")) }()
	if err := v.askAll(); err != nil {
		return err
	}
	v.edited.Store(true)
	for _, e := range v.edits {
		if err := v.editAndUndo(e); err != nil {
			return err
		}
	}
	if v.done+v.dead < len(v.edits) {
		return fmt.Errorf("the inspector was asked for %d edits, and has made %d; %d entities are dead", len(v.edits), v.done, v.dead)
	}
	return nil
}

// askAll asks for every page.
func (v *visitor) askAll() error {
	get := func(path string, args url.Values) error { return v.ask("GET", "/api/"+path, args, nil) }
	for _, path := range []string{"worlds", "types", "box", "frame", "order", "archetypes", "journal", "memory", "loop"} {
		if err := get(path, nil); err != nil {
			return err
		}
	}
	if err := get("entities", url.Values{"q": {":all"}}); err != nil {
		return err
	}
	for _, e := range v.edits {
		number := e.component + "." + e.field
		err := errors.Join(
			get("entities", url.Values{"q": {e.component}}),
			get("picture", url.Values{"q": {e.component}, "kind": {"histogram"}, "x": {number}}),
			get("watches", url.Values{"watch": {number}}))
		if err != nil {
			return err
		}
	}
	for _, e := range v.entities {
		err := get("entity", url.Values{"id": {idOf(e)}})
		if err != nil && !isDead(err) {
			return err
		}
		if err != nil {
			v.missing = append(v.missing, chosen{entity: e})
		}
	}
	return nil
}

// isDead reports whether an entity has died between the choice and the question.
func isDead(err error) bool { return strings.Contains(err.Error(), "does not exist") }

// component is a component in the answer about an entity.
type component struct {
	Full  string
	Value json.RawMessage // a list of fields, if it is a struct
}

// component asks for the component of an edit. It returns nil if the entity does not have it any more.
func (v *visitor) component(e edit) (*component, error) {
	var found struct{ Components []component }
	if err := v.ask("GET", "/api/entity", url.Values{"id": {e.id}}, &found); err != nil {
		if isDead(err) {
			return nil, nil
		}
		return nil, err
	}
	for i, c := range found.Components {
		if c.Full == e.component {
			return &found.Components[i], nil
		}
	}
	return nil, nil
}

// editAndUndo changes a number and changes it back.
func (v *visitor) editAndUndo(e edit) error {
	before, err := v.component(e)
	if err != nil {
		return err
	}
	if before == nil {
		v.dead++
		v.missing = append(v.missing, e.chosen)
		return nil
	}
	var fields []struct {
		Name  string
		Value json.RawMessage
	}
	if err := json.Unmarshal(before.Value, &fields); err != nil {
		return err
	}
	for _, f := range fields {
		if f.Name != e.field {
			continue
		}
		old := strings.Trim(string(f.Value), `"`) // NaN and the infinities are texts
		if err := errors.Join(v.set(e, "12345"), v.set(e, old)); err != nil {
			return err
		}
		v.done++
	}
	after, err := v.component(e)
	if err != nil {
		return err
	}
	if after == nil {
		return fmt.Errorf("entity %s has no %s after an edit and its undo", e.id, e.component)
	}
	if string(after.Value) != string(before.Value) {
		return fmt.Errorf("entity %s: %s is %s, and %s after an edit and its undo", e.id, e.component, before.Value, after.Value)
	}
	return nil
}

// set changes a number.
func (v *visitor) set(e edit, value string) error {
	return v.ask("POST", "/api/set", url.Values{"id": {e.id}, "component": {e.component}, "field": {e.field}, "value": {value}}, nil)
}
