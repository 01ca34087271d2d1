// Package browser tests the page of the inspector in a browser: it opens each
// view of a running world, clicks, types, edits and pauses. It fails if the
// page reports an error. It is a separate module, so that users of lanewise do
// not depend on the browser driver.
package browser
