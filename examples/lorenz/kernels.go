package main

//go:generate go run ../../cmd/lanec

// slopes computes the derivatives of Lorenz systems. Each system has its own heat.
//
//lanec:kernel Slopes
func slopes(dx, dy, dz, x, y, z, heat []float32) {
	for i := range dx {
		dx[i] = 10 * (y[i] - x[i])
		dy[i] = float32(x[i]*(heat[i]-z[i])) - y[i]
		dz[i] = float32(x[i]*y[i]) - float32(8.0/3*z[i])
	}
}

// byHand does n steps of length h, in registers. It contains the method of Runge and Kutta written out, for a comparison with
// package integrate, and gives the same bits.
//
//lanec:kernel ByHand
func byHand(x, y, z, heat []float32, h, sixth float32, n int) {
	for i := range x {
		px, py, pz, r := x[i], y[i], z[i], heat[i]
		for range n {
			ax, ay, az := slope(px, py, pz, r)
			bx, by, bz := slope(px+float32(h/2*ax), py+float32(h/2*ay), pz+float32(h/2*az), r)
			cx, cy, cz := slope(px+float32(h/2*bx), py+float32(h/2*by), pz+float32(h/2*bz), r)
			dx, dy, dz := slope(px+float32(h*cx), py+float32(h*cy), pz+float32(h*cz), r)
			px += float32(sixth * ((ax + dx) + float32(2*(bx+cx))))
			py += float32(sixth * ((ay + dy) + float32(2*(by+cy))))
			pz += float32(sixth * ((az + dz) + float32(2*(bz+cz))))
		}
		x[i], y[i], z[i] = px, py, pz
	}
}

// slope computes the derivatives of one system.
func slope(x, y, z, heat float32) (dx, dy, dz float32) {
	return float32(10 * (y - x)), float32(x*(heat-z)) - y, float32(x*y) - float32(8.0/3*z)
}
