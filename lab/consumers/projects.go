package main

// project is a released version of a program or library that uses oklog/ulid.
type project struct {
	name     string
	module   string   // path@version
	oklog    string   // the module of oklog/ulid that it uses
	packages []string // as arguments of go test
	args     []string // further arguments
	nested   []string // modules in folders of the project, which the proxy has only as the versions in go.mod
	edits    []edit
	least    int // so many tests and subtests pass with oklog; with fewer the project did not run
}

// edit is a change of a constant that the project needs with this library.
type edit struct {
	module   string // the dependency to change, or "" for the project itself
	file     string
	old, new string
}

const (
	v1 = "github.com/oklog/ulid"
	v2 = "github.com/oklog/ulid/v2"
)

// Prometheus's constants have letters that are no digits of Base32. The replacements are the texts of
// the bytes that oklog's Parse made of them.
const (
	compactHead, compactHeadBytes       = "0000000000XX000COMPACTHEAD", "0000000000XX000FZMPACTHEAD"
	selectedSeries, selectedSeriesBytes = "0000000000XXSELECTEDSERIES", "0000000000XXSFZECTEDSESZES"
	staleHead, staleHeadBytes           = "0000000000XXXXXXXSTALEHEAD", "0000000000XXXXXXXSTBZEHEAD"
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
		edits: []edit{
			{module: prometheus, file: "tsdb/ooo_head_read.go", old: compactHead, new: compactHeadBytes},
			{module: prometheus, file: "tsdb/head.go", old: staleHead, new: staleHeadBytes},
		},
		least: 950,
	},
	{
		name:     "prometheus",
		module:   prometheus + "@v0.315.0",
		oklog:    v2,
		packages: []string{"./tsdb"},
		args:     []string{"-timeout=30m"},
		edits: []edit{
			{file: "tsdb/ooo_head_read.go", old: compactHead, new: compactHeadBytes},
			{file: "tsdb/head.go", old: selectedSeries, new: selectedSeriesBytes},
		},
		least: 2800,
	},
	{
		name:     "thanos",
		module:   "github.com/thanos-io/thanos@v0.42.5",
		oklog:    v2,
		packages: []string{"./pkg/block/..."},
		edits: []edit{
			{module: prometheus, file: "tsdb/ooo_head_read.go", old: compactHead, new: compactHeadBytes},
		},
		least: 145,
	},
}
