package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/inspect"
)

// pageRows is the largest number of entities in an answer.
const pageRows = 200

// maxNamed limits how many entities idOf searches for a name, because each answer also contains all values of its entities.
const maxNamed = 100 * pageRows

// entityID matches the id of an entity, or an index.
var entityID = regexp.MustCompile(`^\d+(:\d+)?$`)

// askQuietly is ask, but the answer is no part of the view's JSON.
func (c *client) askQuietly(path string, out any, form url.Values) error {
	n := len(c.raw)
	err := c.ask(path, out, form)
	c.raw = c.raw[:n]
	return err
}

// askRunning is ask about the running world and all kept frames, also if the view shows a kept frame.
func (c *client) askRunning(path string, out any, form url.Values) error {
	defer func(frame string) { c.frameNumber = frame }(c.frameNumber)
	c.frameNumber = ""
	return c.ask(path, out, form)
}

// idOf returns a text that names an entity: the text itself if it is an id or an index, and otherwise the id of the entity with this name.
func (c *client) idOf(text string) (string, error) {
	if entityID.MatchString(text) {
		return text, nil
	}
	var found []string
	for from, all := 0, 1; from < min(all, maxNamed); from += pageRows {
		var e inspect.Entities
		if err := c.askQuietly("entities", &e, url.Values{"q": {":all"}, "from": {fmt.Sprint(from)}, "limit": {fmt.Sprint(pageRows)}}); err != nil {
			return "", err
		}
		for _, r := range e.Rows {
			if r.Name == text && !slices.Contains(found, r.ID) { // a row may move to the next page
				found = append(found, r.ID)
			}
		}
		all = e.Count
		if all > maxNamed && from+pageRows >= maxNamed && len(found) == 0 {
			return "", fmt.Errorf("none of the first %s entities has the name %q: write its index, as 17", formatThousands(maxNamed), text)
		}
	}
	switch {
	case len(found) == 0 && c.frameNumber == "":
		return "", fmt.Errorf("no entity has the name %q: write an index, as 17, or a name; for a destroyed entity, add -frame with a frame that has it", text)
	case len(found) == 0:
		return "", fmt.Errorf("no entity of frame %s has the name %q", c.frameNumber, text)
	case len(found) > 1:
		return "", fmt.Errorf("%s entities have the name %q: write one of %s", formatThousands(len(found)), text, strings.Join(found[:min(len(found), 5)], ", "))
	}
	return found[0], nil
}

// oddNumber is a number that is NaN or infinite: in the first kept frame that has such a value, or otherwise in the running world.
type oddNumber struct {
	component, number, value string
	frame                    uint64
	running                  bool // frame is that of the running world, because no kept frame has the value
	old                      bool // frame was the oldest kept frame, so the value may be older
	id, name                 string
	turn                     int      // of the first system that writes the component; -1 if no system writes it, so that other code has set it
	writers                  []string // each with the first earlier component that it reads
}

// showNaN looks for a NaN or an infinity in all numbers of components, in the kept frames and in the running world. It shows the numbers that
// have one, the earliest first. Of those of one frame, numbers that no system writes come first, and then those of the system that runs first.
func (c *client) showNaN(w io.Writer) error {
	var f inspect.Frame
	if err := c.askQuietly("frame", &f, nil); err != nil {
		return err
	}
	types, total, err := c.floats()
	if err != nil {
		return err
	}
	kept := 0
	if f.Past != nil {
		kept = f.Past.Kept
	}
	list, err := c.oddNumbers(types, kept > 0)
	if err != nil {
		return err
	}
	where := "and the program keeps no earlier frames: see inspect.History"
	if kept > 0 {
		where = "and none in " + count(kept, "kept frame")
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(w, "frame %d: no NaN and no infinity in %s of components, %s\n", f.Frame, count(total, "float"), where)
		return err
	}
	addWriters(list, f.Systems)
	begin := fmt.Sprintf("frame %d is the first kept frame with a NaN or an infinity", list[0].frame)
	switch {
	case list[0].running:
		begin = fmt.Sprintf("frame %d has a NaN or an infinity, %s", list[0].frame, where)
	case list[0].old:
		begin = fmt.Sprintf("frame %d, the oldest kept frame, has a NaN or an infinity already", list[0].frame)
	}
	_, _ = fmt.Fprintln(w, begin)
	rows := [][]string{{"frame", "value", "number", "entity", "written by"}}
	for _, x := range list {
		rows = append(rows, []string{fmt.Sprint(x.frame), x.value, x.number, x.id + quoted(x.name), cmp.Or(strings.Join(x.writers, "; "), "no system")})
	}
	return c.cutTable(w, rows)
}

// floats returns the component types that entities have, those with fewer numbers first, because large ones, such as matrices, are computed from others. It
// also returns how many floats they have.
func (c *client) floats() (types []inspect.TypeInfo, total int, err error) {
	used := map[string]bool{}
	for from, all := 0, 1; from < all; {
		var a inspect.Archetypes
		if err := c.askQuietly("archetypes", &a, url.Values{"from": {fmt.Sprint(from)}, "limit": {"100"}}); err != nil {
			return nil, 0, err
		}
		for _, own := range a.List {
			for _, name := range own.Components {
				used[name] = true
			}
		}
		if from, all = from+len(a.List), a.Used; len(a.List) == 0 {
			break
		}
	}
	if err := c.askQuietly("types", &types, nil); err != nil {
		return nil, 0, err
	}
	types = slices.DeleteFunc(types, func(t inspect.TypeInfo) bool { return !used[t.Name] })
	slices.SortStableFunc(types, func(a, b inspect.TypeInfo) int { return len(a.Lanes) - len(b.Lanes) })
	for _, t := range types {
		total += len(t.Floats)
	}
	return types, total, nil
}

// oddNumbers returns the numbers that are NaN or infinite in a kept frame, if the program keeps frames, or in the running world.
func (c *client) oddNumbers(types []inspect.TypeInfo, kept bool) (list []oddNumber, err error) {
	for _, t := range types {
		for _, number := range t.Floats {
			for _, value := range []string{"NaN", "Inf", "-Inf"} {
				x := oddNumber{component: t.Name, number: number, value: value}
				found := false
				if kept {
					found, err = c.findFirst(&x)
				}
				if !found && err == nil {
					found, err = c.findNow(&x)
				}
				if err != nil {
					return nil, err
				}
				if found {
					list = append(list, x)
				}
			}
		}
	}
	return list, nil
}

// findNow finds an entity of the running world with the number.
func (c *client) findNow(x *oddNumber) (bool, error) {
	for skip, more := 0, 1; more > 0; {
		var e inspect.Entities
		n := len(c.raw)
		if err := c.ask("entities", &e, url.Values{"q": {":all"}, "when": {x.number + " == " + x.value}, "skip": {fmt.Sprint(skip)}, "limit": {"1"}}); err != nil {
			return false, err
		}
		if len(e.Rows) == 0 {
			c.raw = c.raw[:n]
		}
		if len(e.Rows) > 0 {
			x.frame, x.running, x.id, x.name = e.Frame, true, e.Rows[0].ID, e.Rows[0].Name
			return true, nil
		}
		skip, more = e.Skipped+e.Compared, e.Uncompared
	}
	return false, nil
}

// findFirst finds the first kept frame that has the number.
func (c *client) findFirst(x *oddNumber) (bool, error) {
	var f inspect.Found
	n := len(c.raw)
	if err := c.ask("find", &f, url.Values{"q": {":all"}, "when": {x.number + " == " + x.value}}); err != nil {
		return false, err
	}
	if !f.Found {
		c.raw = c.raw[:n]
		return false, nil
	}
	x.frame, x.old, x.id, x.name = f.Frame, f.Before == 0, f.ID, f.Name
	return true, nil
}

// addWriters adds the systems that write the numbers, and sorts the numbers. The systems are in the order of the frame.
func addWriters(list []oddNumber, systems []inspect.System) {
	for k := range list {
		list[k].turn = slices.IndexFunc(systems, func(s inspect.System) bool { return slices.Contains(s.Writes, list[k].component) })
	}
	begin := func(x oddNumber) uint64 { // the oldest kept frame may be another one in the answer for each number
		if x.old {
			return 0
		}
		return x.frame
	}
	slices.SortStableFunc(list, func(a, b oddNumber) int { return cmp.Or(cmp.Compare(begin(a), begin(b)), cmp.Compare(a.turn, b.turn)) })
	for k := range list {
		x := &list[k]
		for _, s := range systems {
			if !slices.Contains(s.Writes, x.component) {
				continue
			}
			text := s.Name
			for _, before := range list[:k] {
				if begin(before) == begin(*x) && before.component != x.component && slices.Contains(s.Reads, before.component) {
					text += ", which reads " + before.component
					break
				}
			}
			if !slices.Contains(x.writers, text) {
				x.writers = append(x.writers, text)
			}
		}
	}
}
