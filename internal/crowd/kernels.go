package crowd

//go:generate go run ../../cmd/lanec

// weigh sums up mass*(r2-distance^2)^3 of all candidates that are within r of a row.
//
//lanec:kernel Near
func weigh(sum, x, y, z, cx, cy, cz, mass []float32, r2 float32) {
	for i := range sum {
		px, py, pz := x[i], y[i], z[i]
		var s float32
		for j, m := range mass {
			dx, dy, dz := cx[j]-px, cy[j]-py, cz[j]-pz
			d := r2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz))
			if !(d > 0) {
				d = 0
			}
			s += float32(m * (d * d * d))
		}
		sum[i] = s
	}
}
