//go:build !lanewise_model

package jobs

// modelCheckEnabled says whether Pool.hookHot calls the hook.
const modelCheckEnabled = false
