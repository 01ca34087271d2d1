package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/transform"
)

// sceneCommand checks, bakes and formats texts of scenes. It knows the components of the
// library alone: a project has a command of three lines, see [scene.Main].
func sceneCommand(_ context.Context, args []string, t *terminal) error {
	if len(args) == 0 {
		return usageError{errors.New("say what to do: check, bake, fmt or schema")}
	}
	if slices.Contains(args, "-h") || slices.Contains(args, "-help") || slices.Contains(args, "--help") {
		scene.Main("lanewise scene", nil, t.out, t.out)
		_, _ = fmt.Fprint(t.out, "\nIt knows the components of the library alone. A project has a command of its own, with scene.Main.\n")
		return nil
	}
	ecs.RegisterComponent[transform.Parent]()
	ecs.RegisterComponent[transform.Translation]()
	ecs.RegisterComponent[transform.Rotation]()
	ecs.RegisterComponent[transform.Scale]()
	ecs.RegisterComponent[transform.LocalToWorld]()
	ecs.RegisterComponent[transform.LocalToParent]()
	ecs.RegisterComponent[transform.LocalTransform]()
	switch scene.Main("lanewise scene", args, t.out, t.err) {
	case exitOK:
		return nil
	case exitUsage:
		return usageError{errors.New("the arguments are wrong")}
	}
	return errors.New("not all texts are right")
}
