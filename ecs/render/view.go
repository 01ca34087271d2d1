package render

// ToScreen is [Camera.ToScreen] of the view's camera and target.
func (v *View) ToScreen(wx, wy, wz float32) (x, y, depth float32, ok bool) {
	return v.Camera.ToScreen(&v.Place, v.Width, v.Height, wx, wy, wz)
}

// ToWorld is [Camera.ToWorld] of the view's camera and target.
func (v *View) ToWorld(x, y, depth float32) (wx, wy, wz float32, ok bool) {
	return v.Camera.ToWorld(&v.Place, v.Width, v.Height, x, y, depth)
}
