//go:build lanewise_noworlds || lanewise_noeditorworld

package app

// noEditorWorld keeps EditorWorld from creating a world.
const noEditorWorld = true
