package main

//go:generate go run ../../cmd/lanec

// collide computes the new populations of a row. The slices f hold the populations that flow into each cell: at rest, to the
// east, north, west, south, and to the north-east, north-west, south-west, south-east. The deviation of the populations from
// equilibrium decays at the rate omega (Bhatnagar, Gross and Krook).
//
//lanec:kernel Collide
func collide(n0, n1, n2, n3, n4, n5, n6, n7, n8, f0, f1, f2, f3, f4, f5, f6, f7, f8 []float64, omega float64) {
	for i := range n0 {
		rho := f0[i] + ((f1[i] + f2[i]) + (f3[i] + f4[i])) + ((f5[i] + f6[i]) + (f7[i] + f8[i]))
		u := ((f1[i] - f3[i]) + ((f5[i] - f6[i]) + (f8[i] - f7[i]))) / rho
		v := ((f2[i] - f4[i]) + ((f5[i] - f7[i]) + (f6[i] - f8[i]))) / rho
		still := 1 - float64(1.5*(float64(u*u)+float64(v*v)))
		p, q := u+v, u-v
		axis, diagonal := float64(rho*(1.0/9)), float64(rho*(1.0/36))
		n0[i] = f0[i] + float64(omega*(float64(float64(rho*(4.0/9))*still)-f0[i]))
		n1[i] = f1[i] + float64(omega*(float64(axis*((still+float64(3*u))+float64(4.5*(u*u))))-f1[i]))
		n2[i] = f2[i] + float64(omega*(float64(axis*((still+float64(3*v))+float64(4.5*(v*v))))-f2[i]))
		n3[i] = f3[i] + float64(omega*(float64(axis*((still-float64(3*u))+float64(4.5*(u*u))))-f3[i]))
		n4[i] = f4[i] + float64(omega*(float64(axis*((still-float64(3*v))+float64(4.5*(v*v))))-f4[i]))
		n5[i] = f5[i] + float64(omega*(float64(diagonal*((still+float64(3*p))+float64(4.5*(p*p))))-f5[i]))
		n6[i] = f6[i] + float64(omega*(float64(diagonal*((still-float64(3*q))+float64(4.5*(q*q))))-f6[i]))
		n7[i] = f7[i] + float64(omega*(float64(diagonal*((still-float64(3*p))+float64(4.5*(p*p))))-f7[i]))
		n8[i] = f8[i] + float64(omega*(float64(diagonal*((still+float64(3*q))+float64(4.5*(q*q))))-f8[i]))
	}
}
