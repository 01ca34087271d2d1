package exhibit

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/epidemic/model"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

var epidemic = &Exhibit{
	Name: "epidemic", Title: "Epidemic",
	Text:   "The people of a town live on a lattice, and catch a disease from their four neighbours. The curve shows for each day who is ill (red), was never ill (sand) and has recovered (blue).",
	Source: "examples/epidemic/model/model.go",
	Params: []Param{
		{Name: "side", Label: "people along a side", Min: 64, Max: 384, Step: 32, Default: 256},
		{Name: "first", Label: "ill on the first day", Min: 1, Max: 50, Step: 1, Default: 8},
		{Name: "beta", Label: "chance of infection a day", Min: 0, Max: 1, Step: 0.01, Default: 0.2, Live: true},
		{Name: "gamma", Label: "chance of recovery a day", Min: 0, Max: 0.5, Step: 0.01, Default: 0.1, Live: true},
	},
	Checked: 1000, Golden: 0x495be2c642be5a28, PerFrame: 1, Look: Cells, World: true,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		m := &model.Epidemic{Side: int(values[0]), First: int(values[1]), Beta: values[2], Gamma: values[3]}
		w := m.Begin("epidemic", pool, random.Key{Seed: 1, Stream: model.StreamFirst})
		s := &town{world: world{w}, m: m, rates: [2]float64{values[2], values[3]}, people: w.Query(ecs.Read[model.Health]()), days: w.Query(ecs.Read[Day]())}
		s.count()
		return s, nil
	},
}

// Day is an entity for each day of the epidemic, so that a saved world contains the curve. It holds the
// numbers of people at the end of the day.
type Day struct{ Susceptible, Infected, Recovered float32 }

// Column returns the view of a column: three lanes.
func (Day) Column() (c struct{ Susceptible, Infected, Recovered []float32 }) { return }

// town is the running epidemic.
type town struct {
	world
	m      *model.Epidemic
	rates  [2]float64 // beta and gamma
	people *ecs.Query
	days   *ecs.Query
	ill    int   // number of people at the end of the last day
	over   bool  // no later day can change anything with these rates
	curve  []Day // for the picture
}

// count counts the people who are ill, and finds out whether the epidemic is over.
func (s *town) count() {
	s.ill = 0
	for c := range s.people.Chunks() {
		for _, h := range *ecs.ReadColumn[model.Health](c) {
			if h == model.Infected {
				s.ill++
			}
		}
	}
	s.judge()
}

// judge finds out whether the epidemic is over: if nobody is ill, or if nobody recovers and nobody can be infected any more. Without the second
// condition, the world would get a Day in every tick, without end.
func (s *town) judge() {
	s.over = s.ill == 0 || s.rates[1] == 0 && (s.rates[0] == 0 || !s.exposed())
}

// exposed reports whether an ill person has a neighbour who was never ill.
func (s *town) exposed() bool {
	side := s.m.Side
	meet := func(a, b uint8) bool { return a == model.Infected && b == model.Susceptible }
	for at := range side * side {
		h := s.m.Health(at)
		if x := at % side; x > 0 {
			if left := s.m.Health(at - 1); meet(h, left) || meet(left, h) {
				return true
			}
		}
		if at >= side {
			if up := s.m.Health(at - side); meet(h, up) || meet(up, h) {
				return true
			}
		}
	}
	return false
}

// Set changes a parameter.
func (s *town) Set(param int, value float64) {
	if param >= 2 {
		s.rates[param-2] = value
		s.m.SetRates(s.rates[0], s.rates[1])
		s.judge()
	}
}

// Tick simulates a day, unless the epidemic is over.
func (s *town) Tick(tick int) error {
	if s.over {
		return nil
	}
	n, err := s.m.NextDay(s.w.Pool(), random.Key{Seed: 1, Tick: uint32(tick), Stream: model.StreamDay})
	if err != nil {
		return err
	}
	s.ill = n[model.Infected]
	s.w.Spawn(Day{float32(n[model.Susceptible]), float32(n[model.Infected]), float32(n[model.Recovered])})
	s.judge()
	return nil
}

// Loaded reads the people from the world.
func (s *town) Loaded() error {
	if err := counted(s.people.Count(), s.m.Side*s.m.Side); err != nil {
		return err
	}
	s.m.Take()
	s.count()
	return nil
}

// Len returns the number of entities: people and days.
func (s *town) Len() int { return s.w.Len() }

// Note returns how many people are ill, or how the epidemic ended.
func (s *town) Note() string {
	if s.ill == 0 {
		return fmt.Sprintf("over after %d days", s.days.Count())
	}
	if s.over {
		return fmt.Sprintf("over after %d days, %d people stay ill", s.days.Count(), s.ill)
	}
	return fmt.Sprintf("day %d, %d people are ill", s.days.Count(), s.ill)
}

// tones has a color for each health. The curve has the same colors.
var tones = [...]color{model.Susceptible: {226, 214, 186}, model.Infected: {222, 52, 44}, model.Recovered: {52, 96, 140}}

// Draw draws a square for each person, and the curve beside the town. If the picture is narrow, the
// curve covers the lower part of the town.
func (s *town) Draw(c *Canvas, _ int) {
	side := s.m.Side
	large := max(1, 512/side) // pixels along a person
	high := side * large
	wide := max(high, int(float32(high)*c.Aspect))
	left, top, width := high+high/24, high/24, wide-high-high/12
	tall, edge := high-2*top, 0
	if 4*wide < 5*high { // there is no room beside the town
		left, top, width, tall = (wide-high)/2, high-high/3, high, high/3
		edge = high / 64
	}
	c.Width, c.Height = wide, high
	c.Bytes = slices.Grow(c.Bytes, 4*wide*high)[:4*wide*high]
	picture := c.Bytes
	for x := range wide {
		copy(picture[4*x:], []byte{10, 13, 19, 255})
	}
	for y := 1; y < high; y++ {
		copy(picture[4*y*wide:], picture[:4*wide])
	}
	begin := 0 // of the town
	if left < high {
		begin = left
	}
	for y := range side {
		row := picture[4*(y*large*wide+begin):]
		for x := range side {
			k := tones[s.m.Health(y*side+x)]
			for i := x * large; i < (x+1)*large; i++ {
				row[4*i], row[4*i+1], row[4*i+2] = k.r, k.g, k.b
			}
		}
		for i := 1; i < large; i++ {
			copy(picture[4*((y*large+i)*wide+begin):][:4*high], row)
		}
	}
	for y := top - edge; y < top; y++ { // a line between the town and the curve
		for x := range width {
			paint(picture[4*(y*wide+left+x):], color{10, 13, 19})
		}
	}
	s.drawCurve(picture, wide, left, top, width, tall)
}

// drawCurve draws the shares of people on each day, with those who are ill below.
func (s *town) drawCurve(picture []byte, wide, left, top, width, tall int) {
	s.curve = s.curve[:0]
	for c := range s.days.Chunks() {
		d, n := ecs.ReadColumn[Day](c), c.Len()
		well, ill, immune := d.Susceptible[:n], d.Infected[:n], d.Recovered[:n]
		for i := range n {
			s.curve = append(s.curve, Day{well[i], ill[i], immune[i]})
		}
	}
	const first = 120 // days, until the curve gets narrower
	shown, all := max(first, len(s.curve)), float32(s.m.Side*s.m.Side)
	for x := range width {
		day := x * shown / width
		if day >= len(s.curve) {
			for y := range tall {
				paint(picture[4*((top+y)*wide+left+x):], color{26, 31, 42})
			}
			continue
		}
		ill := int(s.curve[day].Infected / all * float32(tall))
		well := int((s.curve[day].Infected + s.curve[day].Susceptible) / all * float32(tall))
		for y := range tall {
			k := tones[model.Recovered]
			switch {
			case y < ill:
				k = tones[model.Infected]
			case y < well:
				k = tones[model.Susceptible]
			}
			paint(picture[4*((top+tall-1-y)*wide+left+x):], k.dim(0.9))
		}
	}
}

// paint sets a pixel.
func paint(pixel []byte, k color) { pixel[0], pixel[1], pixel[2] = k.r, k.g, k.b }
