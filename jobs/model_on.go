//go:build lanewise_model

package jobs

// modelled says that Pool.hot is Pool.at.
const modelled = true
