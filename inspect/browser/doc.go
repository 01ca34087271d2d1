// Package browser tests pages in a browser. It opens each view of the
// inspector of a running world, clicks, types, edits and pauses. It opens each
// exhibit of examples/gallery, and compares its hash. It plays examples/duel in
// two tabs. It fails if a page reports an error. It is a separate module, so
// that users of lanewise do not depend on the browser driver.
package browser
