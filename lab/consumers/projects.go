package main

// project is a released version of a program or library that uses oklog/ulid.
type project struct {
	name     string
	module   string   // path@version
	oklog    string   // the module of oklog/ulid that it uses
	packages []string // as arguments of go test
	args     []string // further arguments
	nested   []string // modules in folders of the project, which the proxy has only as the versions in go.mod
	least    int      // so many tests and subtests pass with oklog; with fewer the project did not run
}

const (
	v1 = "github.com/oklog/ulid"
	v2 = "github.com/oklog/ulid/v2"
)

const prometheus = "github.com/prometheus/prometheus"

var projects = []project{
	{
		name:     "strfmt",
		module:   "github.com/go-openapi/strfmt@v0.27.4",
		oklog:    v2,
		packages: []string{"./..."},
		least:    600,
	},
	{
		name:     "watermill",
		module:   "github.com/ThreeDotsLabs/watermill@v1.5.1",
		oklog:    v1,
		packages: []string{"."},
		least:    9,
	},
	{
		name:     "opamp-go",
		module:   "github.com/open-telemetry/opamp-go@v0.14.0",
		oklog:    v2,
		packages: []string{"./client/..."},
		least:    130,
	},
	{
		name:     "openfga",
		module:   "github.com/openfga/openfga@v1.22.1",
		oklog:    v2,
		packages: []string{"./pkg/storage/...", "./pkg/server/commands/..."},
		least:    3800,
	},
	{
		name:     "loki",
		module:   "github.com/grafana/loki/v3@v3.7.8",
		oklog:    v2,
		packages: []string{"./pkg/engine/internal/..."},
		nested:   []string{"github.com/grafana/loki/pkg/push"},
		least:    950,
	},
	{
		name:     "prometheus",
		module:   prometheus + "@v0.315.0",
		oklog:    v2,
		packages: []string{"./tsdb"},
		args:     []string{"-timeout=30m"},
		least:    2800,
	},
	{
		name:     "thanos",
		module:   "github.com/thanos-io/thanos@v0.42.5",
		oklog:    v2,
		packages: []string{"./pkg/block/..."},
		least:    145,
	},
}
