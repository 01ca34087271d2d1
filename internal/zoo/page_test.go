package zoo

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var write = flag.Bool("zoo.write", false, "write the tables of docs/roads.md")

// TestPage: docs/roads.md has the tables of features and of roads. To renew them, run
//
//	go test ./internal/zoo -run TestPage -zoo.write
func TestPage(t *testing.T) {
	const name = "../../docs/roads.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for title, table := range map[string]string{"features": featureTable(), "roads": roadTable()} {
		begin, end := fmt.Sprintf("<!-- table of %s -->\n\n", title), "\n\n"
		head, tail, ok := strings.Cut(page, begin)
		old, tail, ok2 := strings.Cut(tail, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no table of %s after %q", name, title, begin)
		}
		if old != table && !*write {
			t.Errorf("%s: the table of %s is not that of the code: run go test ./internal/zoo -run TestPage -zoo.write", name, title)
		}
		page = head + begin + table + end + tail
	}
	if *write {
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func featureTable() string {
	var b strings.Builder
	b.WriteString("| feature | has |\n| --- | --- |")
	for _, f := range Features {
		fmt.Fprintf(&b, "\n| %s | %s |", f.Name, f.About)
	}
	return b.String()
}

// roadTable has a row for each road, with the features that the road does not support, and the
// test for all other features. Roads of other modules come last.
func roadTable() string {
	var b strings.Builder
	b.WriteString("| road | features that it carries | test |\n| --- | --- | --- |")
	row := func(road, test, refusals string) {
		carries := "all"
		if without := Refused(road); without != nil {
			carries = "all but " + strings.Join(without, ", ")
			test += "; " + refusals
		}
		fmt.Fprintf(&b, "\n| %s | %s | %s |", road, carries, test)
	}
	for _, r := range allRoads() {
		test, text := "`TestRoads/…/all_features`", ""
		for _, no := range Refusals {
			if no.Road == r.Name {
				test, text = "`TestRoads/…/all_roads`", fmt.Sprintf("`TestRefusals/%s`: the error says \"%s\"", no.Road, no.Error)
			}
		}
		row(r.Name, test, text)
	}
	row("arrow", "`TestRoads` of module arrow", "`TestRefusals` of module arrow: the error names a component of the feature")
	return b.String()
}
