package order

// Groups appends to starts where each run of equal keys begins, and the number of
// keys: group g of sorted keys is keys[starts[g]:starts[g+1]], and there is one group
// less than entries were appended. No keys are no groups, with one entry.
//
// It panics if there are more than 2^31-1 keys.
func Groups[K Key](starts []int32, keys []K) []int32 {
	fits("Groups", int64(len(keys)))
	float := isFloat[K]()
	for i := range keys {
		if i == 0 || less(keys[i-1], keys[i], float) || less(keys[i], keys[i-1], float) {
			starts = append(starts, int32(i))
		}
	}
	return append(starts, int32(len(keys)))
}
