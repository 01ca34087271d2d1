package transform

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// advise returns texts about the components that entities lack for the systems of this package.
// Entities that lack the same components share a text.
func advise(w *ecs.World) (texts []string) {
	adviseWidth[float32](w, &texts)
	adviseWidth[float64](w, &texts)
	var lacking entityFault
	for _, s := range archetypeSamples(w, ecs.With[Parent](), ecs.Without[LocalToWorld](), ecs.Without[LocalToWorld64](),
		ecs.AnyOf(append(matrixTerms[float32](), matrixTerms[float64]()...)...)) {
		lacking.addSample(s)
	}
	if lacking.rowCount > 0 {
		texts = append(texts, fmt.Sprintf("transform: %v %s Parent, but no LocalToWorld: add it, or nothing is computed", lacking, lacking.verb()))
	}
	if s := system.Find[Parents](w); s != nil && s.rejected.count > 0 {
		texts = append(texts, fmt.Sprintf("transform: %s made a root so far for want of a parent with LocalToWorld of the width, such as %v, a child of %v: add it to parents before they get children",
			childCountText(s.rejected.count), s.rejected.lastLink.child, s.rejected.lastLink.parent))
	}
	return texts
}

func childCountText(children int) string {
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

// archetypeSample is one entity of an archetype, and the number of entities in that archetype.
type archetypeSample struct {
	entity   ecs.Entity
	rowCount int
}

// archetypeSamples returns a sample of each archetype that a query of the terms matches. The terms must
// not read data, so that the query waits for no job.
func archetypeSamples(w *ecs.World, terms ...ecs.Term) (all []archetypeSample) {
	var last ecs.Archetype
	for c := range w.Query(terms...).Chunks() {
		e := c.Entities()[0]
		if a := w.ArchetypeOf(e); a != last {
			last, all = a, append(all, archetypeSample{entity: e})
		}
		all[len(all)-1].rowCount += c.Len()
	}
	return all
}

// entityFault is a fault, and entities that have it.
type entityFault struct {
	fault       string
	firstEntity ecs.Entity
	rowCount    int
}

func (l *entityFault) addSample(s archetypeSample) {
	if l.rowCount == 0 {
		l.firstEntity = s.entity
	}
	l.rowCount += s.rowCount
}

// String returns a text that names the entities.
func (l entityFault) String() string {
	if l.rowCount == 1 {
		return fmt.Sprintf("entity %v", l.firstEntity)
	}
	return fmt.Sprintf("entity %v and %d more", l.firstEntity, l.rowCount-1)
}

func (l entityFault) verb() string {
	if l.rowCount == 1 {
		return "has"
	}
	return "have"
}

// adviseWidth appends the texts about the entities with LocalToWorld of one width.
func adviseWidth[T kernels.Float](w *ecs.World, texts *[]string) {
	var shared probes
	var idle entityFault
	var lacks []entityFault
	grouped := system.Find[Group](w) != nil
	for _, s := range archetypeSamples(w, ecs.With[LocalToWorldOf[T]]()) {
		r := &entityReader{world: w, entity: s.entity, probes: &shared}
		switch made := isComputed[T](r); {
		case made && !grouped:
			idle.addSample(s)
		case !made && r.matches(unclaimedRule, unclaimedTerms[T]):
			what := matrixFault[T](r)
			if what == "" {
				continue
			}
			i := 0
			for i < len(lacks) && lacks[i].fault != what {
				i++
			}
			if i == len(lacks) {
				lacks = append(lacks, entityFault{fault: what})
			}
			lacks[i].addSample(s)
		}
	}
	if idle.rowCount > 0 {
		*texts = append(*texts, fmt.Sprintf("transform: %v %s LocalToWorld and what it is made of, and the world has no transform.Group, so that it stays as it is: make the world with system.WithPlugins(transform.Systems()), or system.AddSystems it with their types", idle, idle.verb()))
	}
	for _, l := range lacks {
		*texts = append(*texts, fmt.Sprintf("transform: the LocalToWorld of %v stays as it is: %s", l, l.fault))
	}
}

// matrixFault describes why no system computes the matrix of an entity. It returns "" if the entity has
// a matrix and no other component, because the program then writes the matrix.
func matrixFault[T kernels.Float](r *entityReader) string {
	if matrixPartName[T](r) != "" || ecs.Has[LocalTransformOf[T]](r.world, r.entity) || ecs.Has[PostTransformMatrixOf[T]](r.world, r.entity) {
		return matrixFaultReason[T](r)
	}
	if ecs.Has[Parent](r.world, r.entity) && !isListed(r) {
		return "Parent, but no LocalToParent" + widthSuffix[T]()
	}
	return ""
}

// matrixFaultReason returns why no system computes the matrix of an entity with LocalToWorld.
func matrixFaultReason[T kernels.Float](r *entityReader) string {
	width, part := widthSuffix[T](), matrixPartName[T](r)
	switch {
	case ecs.Has[LocalTransformOf[T]](r.world, r.entity):
		return "LocalTransform" + width + " and " + part + width + ": one of them must go"
	case ecs.Has[PostTransformMatrixOf[T]](r.world, r.entity):
		return "PostTransformMatrix" + width + ", but no LocalTransform" + width
	case part == "":
		return "no Translation, Rotation, Scale or LocalTransform, and its LocalToWorld is all zeros"
	case ecs.Has[Parent](r.world, r.entity):
		return part + width + " and Parent, but no LocalToParent" + width
	}
	return "LocalToParent" + width + ", but no Parent"
}

// widthSuffix returns the suffix of the names of components of this width.
func widthSuffix[T kernels.Float]() string {
	if reflect.TypeFor[T]().Kind() == reflect.Float64 {
		return "64"
	}
	return ""
}

// matrixPartName returns the name of a component of the entity from which a matrix can be composed.
func matrixPartName[T kernels.Float](r *entityReader) string {
	switch {
	case ecs.Has[TranslationOf[T]](r.world, r.entity):
		return "Translation"
	case ecs.Has[RotationOf[T]](r.world, r.entity):
		return "Rotation"
	case ecs.Has[ScaleOf[T]](r.world, r.entity):
		return "Scale"
	case ecs.Has[NonUniformScaleOf[T]](r.world, r.entity):
		return "NonUniformScale"
	}
	return ""
}
