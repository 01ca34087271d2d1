// Package browser tests the page of the inspector in a browser: it opens each view on a
// running world, clicks, types, edits, pauses, and fails on whatever the page complains of. It
// is a module of its own, since what drives a browser is nothing for the users of
// lanewise.
package browser
