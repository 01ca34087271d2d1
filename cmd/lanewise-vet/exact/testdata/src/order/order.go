// Package order goes over maps.
package order

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"sync"

	_ "github.com/lanewise/lanewise/ecs"
)

type world struct{ mass map[string]float64 }

func total(w *world) (sum float64) {
	for _, m := range w.mass { // want `a loop over a map takes another order each time: go by sorted keys`
		sum += m
	}
	return sum
}

func print(m map[int]string) {
	for id, name := range m { // want `a loop over a map`
		fmt.Println(id, name)
	}
	for id := range m { // want `a loop over a map`
		fmt.Println(id)
	}
}

type point struct{ x, y int }

func unordered(m map[point]int) (first int) {
	for _, v := range m { // want `a loop over a map takes another order each time: go by sorted keys`
		return v
	}
	return 0
}

func any(m map[string]int, other map[string]int) (n int, keys []string) {
	for range m {
		n++
	}
	for k, v := range m {
		if v > 3 {
			n += v
			delete(m, k)
			continue
		}
		other[k] = v * 2
	}
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return n, keys
}

func unsorted(m map[string]int) (keys []string) {
	for k := range m { // want `a loop over a map`
		keys = append(keys, k)
	}
	return keys
}

func synced(m *sync.Map) {
	m.Range(func(k, v any1) bool { return true }) // want `sync.Map.Range`
}

type any1 = interface{}

func generic[M ~map[K]V, K comparable, V any1](m M) (keys []K) {
	for k := range m { // want `a loop over a map`
		keys = append(keys, k)
	}
	return keys
}

func reflected(m reflect.Value) (n int, keys []reflect.Value) {
	for it := m.MapRange(); it.Next(); { // want `reflect.Value.MapRange gives another order each time`
		keys = append(keys, it.Key())
	}
	keys = m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	return len(m.MapKeys()), keys // want `reflect.Value.MapKeys gives`
}

func numbered(m map[string]int) map[string]int {
	ids, n := map[string]int{}, 0
	for k := range m { // want `a loop over a map`
		n++
		ids[k] = n
	}
	for k := range m {
		ids[k] += m[k]
	}
	for k, v := range m { // want `a loop over a map`
		if len(ids) > 3 {
			delete(ids, k)
		}
		ids[k] = v
	}
	return ids
}

type counts struct{ n, most int }

func fields(m map[string]int, c *counts) {
	for _, v := range m {
		if v > c.most {
			c.n++
		}
	}
}

type spot struct{ x, y float64 }

func noOrder(m map[spot]int, n map[*spot]int) (first int) {
	for _, v := range m { // want `a loop over a map takes another order each time$`
		return v
	}
	for _, v := range n { // want `a loop over a map takes another order each time$`
		return v
	}
	return 0
}

func pairs(m map[[2]int]string, set map[int]bool) {
	for k, v := range m { // want `a loop over a map takes another order each time: go by sorted keys`
		fmt.Println(k, v)
	}
	for k := range set { // want `a loop over a map takes another order each time: go by sorted keys`
		fmt.Println(k)
		delete(set, k)
	}
	for k := range set { // want `a loop over a map takes another order each time$`
		fmt.Println(k)
		delete(set, k+1)
	}
}

func others(m map[string]int, data []string) (a []string) {
	for k := range m { // want `a loop over a map`
		a = append(a, k)
	}
	sort.Strings(data)
	return a
}

type id uint32

func grid(m map[[2]id]float64) (sum float64) {
	for _, v := range m { // want `a loop over a map takes another order each time: go by sorted keys`
		sum += v
	}
	return sum
}

type chain struct {
	cur, next map[string]int
	set       map[int]bool
}

func swapped(cur, next map[string]int, c *chain) (out []int) {
	for _, v := range cur { // want `a loop over a map takes another order each time$`
		cur = next
		out = append(out, v)
	}
	for _, v := range c.cur { // want `a loop over a map takes another order each time$`
		c.cur, c.next = c.next, c.cur
		out = append(out, v)
	}
	for _, v := range c.cur { // want `a loop over a map takes another order each time$`
		*c = chain{}
		out = append(out, v)
	}
	for _, v := range c.next { // want `a loop over a map takes another order each time$`
		clean(&c.next)
		out = append(out, v)
	}
	for k := range next { // want `a loop over a map takes another order each time: go by sorted keys`
		next = nil
		fmt.Println(k)
	}
	return out
}

func clean(m *map[string]int) { *m = nil }

func closed(cur, next map[string]int) (out []int) {
	swap := func() { cur = next }
	for _, v := range cur { // want `a loop over a map takes another order each time$`
		swap()
		out = append(out, v)
	}
	for _, v := range next { // want `a loop over a map takes another order each time: go by sorted keys`
		out = append(out, v)
	}
	return out
}

func named(x map[int]int, c *chain) (out []int) {
	for x, v := range x { // want `a loop over a map takes another order each time$`
		out = append(out, x, v)
	}
	for set, v := range c.set { // want `a loop over a map takes another order each time: go by sorted keys`
		fmt.Println(set, v)
	}
	for c, v := range c.set { // want `a loop over a map takes another order each time$`
		fmt.Println(c, v)
	}
	for _, v := range x { // want `a loop over a map takes another order each time$`
		v := v + 1
		out = append(out, v)
	}
	return out
}

func operators(m map[int]int, h, g int, x []int) int {
	for k, v := range m { // want `a loop over a map`
		h += k
		h ^= v
	}
	for k, v := range m {
		h += k
		g ^= v
		h++
	}
	for k, v := range m { // want `a loop over a map`
		x[0] |= k
		x[1] += v
	}
	for k, v := range m {
		x[k] |= v
		x[k]++
	}
	return h + g
}

func indices(m map[int]int, n int, list []int, tables []map[int]int, turns map[int]int) {
	for k := range m { // want `a loop over a map`
		list[n] += k
		n++
	}
	for k := range m {
		list[n] += k
	}
	for k, v := range m { // want `a loop over a map`
		tables[n][k] = v
		n++
	}
	for k, v := range m {
		tables[n][k] = v
	}
	for k, v := range m { // want `a loop over a map`
		turns[k] = list[k]
		list[v]++
	}
	for k := range m { // want `a loop over a map`
		turns[k] = tables[n][k]
		n++
	}
	for k := range m {
		turns[k] = tables[n][k]
		tables[n][k] = list[k]
	}
}

func pointed(m map[int]int, n *int, turns map[int]int) {
	for k := range m { // want `a loop over a map`
		*n += k
		turns[k] = *n
	}
	for k := range m {
		*n += k
	}
}

func last(m map[int]int, k int) int {
	for k = range m { // want `a loop over a map takes another order each time$`
	}
	return k
}
