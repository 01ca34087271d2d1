//go:build !lanewise_model

package jobs

// modelCheckEnabled makes Pool.hookHot call the hook.
const modelCheckEnabled = false
