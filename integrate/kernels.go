package integrate

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../cmd/lanec

// These are the constants of Dormand and Prince's method: the nodes, the weights of the slopes in each stage,
// and the weights of the error estimate. J. R. Dormand and P. J. Prince, Journal of Computational and Applied
// Mathematics 6 (1980), 19.
const (
	c2, c3, c4, c5 = 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9

	a21                     = 1.0 / 5
	a31, a32                = 3.0 / 40, 9.0 / 40
	a41, a42, a43           = 44.0 / 45, -56.0 / 15, 32.0 / 9
	a51, a52, a53, a54      = 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729
	a61, a62, a63, a64, a65 = 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656
	b1, b3, b4, b5, b6      = 35.0 / 384, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84
	e1, e3, e4, e5, e6, e7  = 71.0 / 57600, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40
)

// rk4Sum adds the weighted mean of the four slopes of a step. Parameter sixth is a sixth of the length of the
// step.
//
//lanec:kernel rk4Sum32[float32]
//lanec:kernel rk4Sum64[float64]
func rk4Sum[T kernels.Float](x, k1, k2, k3, k4 []T, sixth T) {
	for i := range x {
		x[i] += T(sixth * ((k1[i] + k4[i]) + T(2*(k2[i]+k3[i]))))
	}
}

// kickDrift changes velocities by accelerations, and positions by the new velocities.
//
//lanec:kernel kickDrift32[float32]
//lanec:kernel kickDrift64[float64]
func kickDrift[T kernels.Float](v, x, a []T, kick, drift T) {
	for i := range v {
		w := v[i] + T(kick*a[i])
		v[i] = w
		x[i] += T(drift * w)
	}
}

// thermal damps velocities and adds noise.
//
//lanec:kernel thermal32[float32]
//lanec:kernel thermal64[float64]
func thermal[T kernels.Float](v, noise, deviation []T, keep T) {
	for i := range v {
		v[i] = T(keep*v[i]) + T(deviation[i]*noise[i])
	}
}

// stage2 to stage7 compute the states at which the slopes k2 to k7 are taken. The last of these states is the
// new state.
//
//lanec:kernel stage2f32[float32]
//lanec:kernel stage2f64[float64]
func stage2[T kernels.Float](y, x, k1, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*T(a21*k1[i]))
	}
}

//lanec:kernel stage3f32[float32]
//lanec:kernel stage3f64[float64]
func stage3[T kernels.Float](y, x, k1, k2, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*(T(a31*k1[i])+T(a32*k2[i])))
	}
}

//lanec:kernel stage4f32[float32]
//lanec:kernel stage4f64[float64]
func stage4[T kernels.Float](y, x, k1, k2, k3, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*((T(a41*k1[i])+T(a42*k2[i]))+T(a43*k3[i])))
	}
}

//lanec:kernel stage5f32[float32]
//lanec:kernel stage5f64[float64]
func stage5[T kernels.Float](y, x, k1, k2, k3, k4, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*((T(a51*k1[i])+T(a52*k2[i]))+(T(a53*k3[i])+T(a54*k4[i]))))
	}
}

//lanec:kernel stage6f32[float32]
//lanec:kernel stage6f64[float64]
func stage6[T kernels.Float](y, x, k1, k2, k3, k4, k5, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*(((T(a61*k1[i])+T(a62*k2[i]))+(T(a63*k3[i])+T(a64*k4[i])))+T(a65*k5[i])))
	}
}

//lanec:kernel stage7f32[float32]
//lanec:kernel stage7f64[float64]
func stage7[T kernels.Float](y, x, k1, k3, k4, k5, k6, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*(((T(b1*k1[i])+T(b3*k3[i]))+(T(b4*k4[i])+T(b5*k5[i])))+T(b6*k6[i])))
	}
}

// estimate replaces k3 by the square of the estimated error, in units of the tolerance. The result is NaN if
// the new state is infinite. The tolerance is then infinite too, so that control would otherwise accept the
// step.
//
//lanec:kernel estimate32[float32]
//lanec:kernel estimate64[float64]
func estimate[T kernels.Float](k3, x, y, k1, k4, k5, k6, k7, h []T, atol, rtol T) {
	for i := range k3 {
		e := h[i] * (((T(e1*k1[i]) + T(e3*k3[i])) + (T(e4*k4[i]) + T(e5*k5[i]))) + (T(e6*k6[i]) + T(e7*k7[i])))
		q := e / (atol + T(rtol*max(T(math.Abs(float64(x[i]))), T(math.Abs(float64(y[i]))))))
		k3[i] = T(q*q) + (y[i] - y[i])
	}
}

// take works on the rows that accepted their steps. It makes the new state the state, and the slope of the
// new state the first slope of the next step.
//
//lanec:kernel take32[float32]
//lanec:kernel take64[float64]
func take[T kernels.Float](x, k1, y, k7, verdict []T) {
	for i := range x {
		if verdict[i] > 0 {
			x[i] = y[i]
			k1[i] = k7[i]
		}
	}
}

// plan chooses the next step of each row. This is the step that control has proposed, or the remaining time
// if the proposed step is about as long. If the remaining time is slightly longer than the longest step, it
// is divided into two steps. A step is 0 for a row that has arrived. Times and steps are measured in the
// direction of the integration, so they are never negative; h has the sign.
//
//lanec:kernel plan32[float32]
//lanec:kernel plan64[float64]
func plan[T kernels.Float](h []T, way, step, next []float64, length, longest, sign float64) {
	for i := range h {
		s := next[i]
		if way[i]+float64(1.01*s) >= length {
			s = length - way[i]
			if s > longest {
				s = float64(s * 0.5)
			}
		}
		step[i] = s
		h[i] = T(float64(sign * s))
	}
}

// times computes the time of a stage for each row.
//
//lanec:kernel times64
func times(dst, way, step []float64, start, sign, node float64) {
	for i := range dst {
		dst[i] = start + float64(sign*(way[i]+float64(node*step[i])))
	}
}

// control accepts a step (verdict 1) or rejects it (verdict -1), and proposes the length of the next step, by
// PI control as in Hairer's program DOPRI5. The verdict of a row that has arrived is 0. Parameter square is
// the sum of the squares of the error, and many is the number of these squares. Parameter past is a power of
// the error of the last accepted step; it is negative after a rejection.
//
//lanec:kernel control32[float32]
//lanec:kernel control64[float64]
func control[T kernels.Float](verdict, square []T, way, step, next, past []float64, length, many, longest float64) {
	for i := range verdict {
		e := math.Sqrt(float64(square[i]) / many)
		power, memory := kernels.PowOf(e, 0.17), kernels.PowOf(max(e, 1e-4), 0.04)
		s, planned, old, answer := step[i], next[i], past[i], T(0)
		if s > 0 && e <= 1 {
			proposal := s / min(5, max(0.1, power/(0.9*math.Abs(old))))
			if old < 0 {
				proposal = min(proposal, s) // no longer step right after a rejection
			}
			if s < planned {
				proposal = max(proposal, planned) // the rest of the way was shorter than the step could be
			}
			next[i], past[i], answer = min(proposal, longest), memory, 1
			if s >= length-way[i] {
				way[i] = length
			} else {
				way[i] += s
			}
		} else if s > 0 {
			less := power / 0.9
			if !(less < 5) { // NaN too
				less = 5
			}
			next[i], past[i], answer = s/less, -math.Abs(old), -1
		}
		verdict[i] = answer
	}
}
