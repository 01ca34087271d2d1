package report_test

import (
	"fmt"

	"github.com/lanewise/lanewise/report"
)

func ExampleSummarize() {
	s := report.Summarize([]float64{9.8, 10.1, 10.4, 9.9, 10.3})
	fmt.Printf("%.2f, from %.2f to %.2f; half of them are below %.2f\n", s.Mean, s.Low, s.High, s.Q[2])
	// Output:
	// 10.10, from 9.78 to 10.42; half of them are below 10.10
}

// The errors of a method of second order are divided by four if the step is halved.
func ExampleFitPower() {
	f := report.FitPower([]float64{0.1, 0.05, 0.025, 0.0125}, []float64{4.1e-3, 1.01e-3, 2.52e-4, 6.3e-5})
	fmt.Println(f)
	// Output:
	// p = 2.008 ± 0.015
}
