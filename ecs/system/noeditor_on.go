//go:build lanewise_noworlds || lanewise_noeditorworld

package system

// noEditorWorld keeps EditorWorld from making one.
const noEditorWorld = true
