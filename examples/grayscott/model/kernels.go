package model

//go:generate go run ../../../cmd/lanec

// react computes the concentrations of two chemicals in a row after a step. Both chemicals diffuse to the eight neighbours of
// a cell. V turns U into more V, U is fed, and V decays.
//
//lanec:kernel React
func react(nextU, nextV, u, uw, ue, un, us, unw, une, usw, use, v, vw, ve, vn, vs, vnw, vne, vsw, vse []float32, feed, kill float32) {
	for i := range nextU {
		a, b := u[i], v[i]
		spreadA := (float32(0.2*((uw[i]+ue[i])+(un[i]+us[i]))) + float32(0.05*((unw[i]+une[i])+(usw[i]+use[i])))) - a
		spreadB := (float32(0.2*((vw[i]+ve[i])+(vn[i]+vs[i]))) + float32(0.05*((vnw[i]+vne[i])+(vsw[i]+vse[i])))) - b
		change := float32(a * (b * b))
		nextU[i] = a + ((spreadA - change) + float32(feed*(1-a)))
		nextV[i] = b + ((float32(0.5*spreadB) + change) - float32((feed+kill)*b))
	}
}
