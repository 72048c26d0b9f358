package main

import (
	"go/types"
	"slices"
	"strings"
)

// The lists of what is known of other modules. A path stands for its package and for those below it.

const (
	oklogPath = "github.com/oklog/ulid"
	ulidPath  = "github.com/seed-961d0905/ulid"
)

// takesIDs are packages whose functions take IDs as arguments of statements, which -bytes wraps.
var takesIDs = []string{
	"database/sql",
	"github.com/DATA-DOG/go-sqlmock",
	"github.com/Masterminds/squirrel",
	"github.com/doug-martin/goqu",
	"github.com/jackc/pgx",
	"github.com/jinzhu/gorm",
	"github.com/jmoiron/sqlx",
	"github.com/pashagolub/pgxmock",
	"github.com/uptrace/bun",
	"gorm.io/gorm",
}

// takesStructs are packages that store the structs that they get.
var takesStructs = []string{
	"github.com/doug-martin/goqu",
	"github.com/georgysavva/scany",
	"github.com/go-gorp/gorp",
	"github.com/go-jet/jet",
	"github.com/go-pg/pg",
	"github.com/gocraft/dbr",
	"github.com/huandu/go-sqlbuilder",
	"github.com/jinzhu/gorm",
	"github.com/jmoiron/sqlx",
	"github.com/upper/db",
	"github.com/uptrace/bun",
	"gorm.io/gen",
	"gorm.io/gorm",
	"xorm.io",
}

// takesModels are those of them whose functions take a struct as their first argument.
var takesModels = []string{
	"github.com/jinzhu/gorm",
	"github.com/jmoiron/sqlx",
	"github.com/uptrace/bun",
	"gorm.io/gorm",
}

// scanners are those of takesStructs that only write to a destination. Others make conditions of its fields.
var scanners = []string{
	"github.com/georgysavva/scany",
	"github.com/jmoiron/sqlx",
}

// schemas are packages that describe the fields of a schema.
var schemas = []string{
	"entgo.io/ent/schema/field",
}

// makesAny are packages whose generic code makes any of its type arguments.
var makesAny = []string{
	"entgo.io/ent",
}

// drivers are packages that send statements, and take no structs.
var drivers = []string{
	"github.com/glebarez/go-sqlite",
	"github.com/go-sql-driver/mysql",
	"github.com/lib/pq",
	"github.com/mattn/go-sqlite3",
	"github.com/microsoft/go-mssqldb",
	"github.com/ncruces/go-sqlite3",
	"modernc.org/sqlite",
}

// values are packages that import database/sql/driver only for the Value of their own types.
var values = []string{
	"github.com/gofrs/uuid",
	"github.com/google/uuid",
	"github.com/shopspring/decimal",
}

// quiet are packages that print, encode, compare or keep what they get, so that it reaches no database.
var quiet = []string{
	"container",
	"context",
	"encoding",
	"errors",
	"expvar",
	"fmt",
	"github.com/dgrijalva/jwt-go",
	"github.com/fxamacker/cbor",
	"github.com/gin-gonic/gin",
	"github.com/go-chi/render",
	"github.com/go-jose/go-jose",
	"github.com/go-kit/log",
	"github.com/go-logr/logr",
	"github.com/go-playground/validator",
	"github.com/go-redis/redis",
	"github.com/goccy",
	"github.com/gofiber/fiber",
	"github.com/golang-jwt/jwt",
	"github.com/golang/mock",
	"github.com/google/go-cmp",
	"github.com/gorilla/websocket",
	"github.com/hashicorp/go-hclog",
	"github.com/labstack/echo",
	"github.com/lestrrat-go/jwx",
	"github.com/onsi/gomega",
	"github.com/pkg/errors",
	"github.com/redis/go-redis",
	"github.com/rs/zerolog",
	"github.com/sirupsen/logrus",
	"github.com/stretchr/testify",
	"github.com/vmihailenco/msgpack",
	"go.mongodb.org/mongo-driver",
	"go.opentelemetry.io/otel",
	"go.uber.org/mock",
	"go.uber.org/zap",
	"golang.org/x/exp/slog",
	"golang.org/x/xerrors",
	"google.golang.org/grpc",
	"google.golang.org/protobuf",
	"gopkg.in/yaml.v2",
	"gopkg.in/yaml.v3",
	"html/template",
	"k8s.io/klog",
	"log",
	"reflect",
	"sort",
	"sync",
	"testing",
	"text/template",
}

// keepers are those of them from which a value comes out again as any.
var keepers = []string{
	"container",
	"context",
	"reflect",
	"sync",
}

// keeperFuncs are the functions by which a value gets into what keeps it. The lines after the list name them.
var keeperFuncs = []string{
	"(*atomic.Value).CompareAndSwap",
	"(*atomic.Value).Store",
	"(*atomic.Value).Swap",
	"(*fiber.Ctx).Locals",
	"(*gin.Context).Set",
	"(*list.List).InsertAfter",
	"(*list.List).InsertBefore",
	"(*list.List).PushBack",
	"(*list.List).PushFront",
	"(*sync.Map).CompareAndSwap",
	"(*sync.Map).LoadOrStore",
	"(*sync.Map).Store",
	"(*sync.Map).Swap",
	"(*sync.Pool).Put",
	"(echo.Context).Set",
	"(fiber.Ctx).Locals",
	"context.WithValue",
	"heap.Push",
}

// storageTags are the keys of tags that structs have because they are stored.
var storageTags = []string{
	"boil",
	"bun",
	"ch",
	"gorm",
	"ksql",
	"orm",
	"pg",
	"reform",
	"spanner",
	"sql",
	"xorm",
}

// scanTags are the keys of tags of structs that may also be only read. Their uses tell.
var scanTags = []string{
	"db",
}

// storageModels are the types that a struct embeds to be stored.
var storageModels = []string{
	"bun.BaseModel",
	"gorm.Model",
}

// zeroTags are the keys of tags of encoders whose omitempty asks IsZero.
var zeroTags = []string{
	"bson",
	"msgpack",
	"yaml",
}

// destinations are the names of parameters that a function writes to.
var destinations = []string{
	"dest",
	"dests",
	"dst",
}

// in reports whether a package is one of the list or below one of it.
func in(pkg *types.Package, list []string) bool {
	return pkg != nil && inPath(pkg.Path(), list)
}

func inPath(pkgPath string, list []string) bool {
	return slices.ContainsFunc(list, func(path string) bool {
		return pkgPath == path || strings.HasPrefix(pkgPath, path+"/")
	})
}
