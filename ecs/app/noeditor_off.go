//go:build !lanewise_noworlds && !lanewise_noeditorworld

package app

// noEditorWorld keeps EditorWorld from making one.
const noEditorWorld = false
