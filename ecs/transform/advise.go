package transform

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// advise names the components that the entities of a world lack for the systems of this package,
// one text for all that lack the same.
func advise(w *ecs.World) (texts []string) {
	adviseOn[float32](w, &texts)
	adviseOn[float64](w, &texts)
	var lacking lack
	for _, s := range samples(w, ecs.With[Parent](), ecs.Without[LocalToWorld](), ecs.Without[LocalToWorld64](),
		ecs.AnyOf(append(matrixTerms[float32](), matrixTerms[float64]()...)...)) {
		lacking.add(s)
	}
	if lacking.rows > 0 {
		texts = append(texts, fmt.Sprintf("transform: %v %s Parent, but no LocalToWorld: add it, or nothing is computed", lacking, lacking.verb()))
	}
	if s := system.Find[Parents](w); s != nil && s.unplaced.count > 0 {
		texts = append(texts, fmt.Sprintf("transform: %s made a root so far for want of a parent with LocalToWorld of the width, such as %v, a child of %v: add it to parents before they get children",
			counted(s.unplaced.count), s.unplaced.last.child, s.unplaced.last.parent))
	}
	return texts
}

func counted(children int) string {
	if children == 1 {
		return "1 child"
	}
	return fmt.Sprintf("%d children", children)
}

// matrixTerms returns the components from which a child's matrix is composed.
func matrixTerms[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.With[TranslationOf[T]](), ecs.With[RotationOf[T]](), ecs.With[ScaleOf[T]](), ecs.With[NonUniformScaleOf[T]](),
		ecs.With[LocalToParentOf[T]](),
	}
}

// sample is one entity of an archetype, and the number of entities there.
type sample struct {
	entity ecs.Entity
	rows   int
}

// samples returns a sample of each archetype that a query of the terms matches. The terms read no
// data, so that the query waits for no job.
func samples(w *ecs.World, terms ...ecs.Term) (all []sample) {
	var last ecs.Archetype
	for c := range w.Query(terms...).Chunks() {
		e := c.Entities()[0]
		if a := w.ArchetypeOf(e); a != last {
			last, all = a, append(all, sample{entity: e})
		}
		all[len(all)-1].rows += c.Len()
	}
	return all
}

// lack is a fault that some entities have.
type lack struct {
	what  string
	first ecs.Entity
	rows  int
}

func (l *lack) add(s sample) {
	if l.rows == 0 {
		l.first = s.entity
	}
	l.rows += s.rows
}

// String names the entities.
func (l lack) String() string {
	if l.rows == 1 {
		return fmt.Sprintf("entity %v", l.first)
	}
	return fmt.Sprintf("entity %v and %d more", l.first, l.rows-1)
}

func (l lack) verb() string {
	if l.rows == 1 {
		return "has"
	}
	return "have"
}

// adviseOn appends the texts about the entities with LocalToWorld of one width.
func adviseOn[T kernels.Float](w *ecs.World, texts *[]string) {
	var shared probes
	var idle lack
	var lacks []lack
	grouped := system.Find[Group](w) != nil
	for _, s := range samples(w, ecs.With[LocalToWorldOf[T]]()) {
		r := &reader{w: w, e: s.entity, probes: &shared}
		switch made := isComputed[T](r); {
		case made && !grouped:
			idle.add(s)
		case !made && r.matches(isUnclaimed, unclaimed[T]):
			what := missing[T](r)
			if what == "" {
				continue
			}
			i := 0
			for i < len(lacks) && lacks[i].what != what {
				i++
			}
			if i == len(lacks) {
				lacks = append(lacks, lack{what: what})
			}
			lacks[i].add(s)
		}
	}
	if idle.rows > 0 {
		*texts = append(*texts, fmt.Sprintf("transform: %v %s LocalToWorld and what it is made of, and the world has no transform.Group, so that it stays as it is: make the world with system.WithPlugins(transform.Systems()), or system.AddSystems it with their types", idle, idle.verb()))
	}
	for _, l := range lacks {
		*texts = append(*texts, fmt.Sprintf("transform: the LocalToWorld of %v stays as it is: %s", l, l.what))
	}
}

// missing names the fault of an entity whose matrix no system computes. It returns "" if the entity
// has only a matrix, because the program writes it then.
func missing[T kernels.Float](r *reader) string {
	if partOf[T](r) != "" || ecs.Has[LocalTransformOf[T]](r.w, r.e) || ecs.Has[PostTransformMatrixOf[T]](r.w, r.e) {
		return lacking[T](r)
	}
	if ecs.Has[Parent](r.w, r.e) && !isListed(r) {
		return "Parent, but no LocalToParent" + width[T]()
	}
	return ""
}

// lacking returns the reason why no system computes the matrix of an entity with LocalToWorld.
func lacking[T kernels.Float](r *reader) string {
	width, part := width[T](), partOf[T](r)
	switch {
	case ecs.Has[LocalTransformOf[T]](r.w, r.e):
		return "LocalTransform" + width + " and " + part + width + ": one of them must go"
	case ecs.Has[PostTransformMatrixOf[T]](r.w, r.e):
		return "PostTransformMatrix" + width + ", but no LocalTransform" + width
	case part == "":
		return "no Translation, Rotation, Scale or LocalTransform, and its LocalToWorld is all zeros"
	case ecs.Has[Parent](r.w, r.e):
		return part + width + " and Parent, but no LocalToParent" + width
	}
	return "LocalToParent" + width + ", but no Parent"
}

// width returns the suffix of the names of components of this width.
func width[T kernels.Float]() string {
	if reflect.TypeFor[T]().Kind() == reflect.Float64 {
		return "64"
	}
	return ""
}

// partOf names a component of the entity from which a matrix can be composed.
func partOf[T kernels.Float](r *reader) string {
	switch {
	case ecs.Has[TranslationOf[T]](r.w, r.e):
		return "Translation"
	case ecs.Has[RotationOf[T]](r.w, r.e):
		return "Rotation"
	case ecs.Has[ScaleOf[T]](r.w, r.e):
		return "Scale"
	case ecs.Has[NonUniformScaleOf[T]](r.w, r.e):
		return "NonUniformScale"
	}
	return ""
}
