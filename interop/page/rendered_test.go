package page

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// A rendered page is what GitHub makes of it.
type rendered struct {
	name    string
	source  []byte
	root    ast.Node
	anchors []string
}

func render(name, page string) rendered {
	source := []byte(page)
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	r := rendered{name: name, source: source, root: parser.Parse(text.NewReader(source))}
	r.walk(func(n ast.Node) {
		if heading, ok := n.(*ast.Heading); ok {
			r.anchors = append(r.anchors, anchor(r.words(heading), r.anchors))
		}
	})
	return r
}

func (r rendered) walk(visit func(ast.Node)) {
	ast.Walk(r.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// words returns the text of a node without its marks.
func (r rendered) words(n ast.Node) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(r.source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchor returns the anchor that GitHub gives a heading.
func anchor(heading string, before []string) string {
	name := strings.ReplaceAll(strings.ToLower(heading), " ", "-")
	name = regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(name, "")
	for i := 0; ; i++ {
		numbered := name
		if i > 0 {
			numbered += "-" + strconv.Itoa(i)
		}
		if !slices.Contains(before, numbered) {
			return numbered
		}
	}
}

var alert = regexp.MustCompile(`^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$`)

// problems says what a reader would not see as it is meant.
func (r rendered) problems() (problems []string) {
	r.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Blockquote:
			if n.Parent().Kind() != ast.KindDocument {
				problems = append(problems, "a quote inside another block: "+r.words(n))
			}
		case *ast.Text:
			line := string(n.Segment.Value(r.source))
			if strings.HasSuffix(line, " >") || strings.HasPrefix(line, "> ") {
				problems = append(problems, "a torn quote: "+line)
			}
		case *ast.FencedCodeBlock:
			if n.Language(r.source) == nil {
				problems = append(problems, "a block of code without a language: "+string(n.Lines().Value(r.source)))
			}
		case *ast.Paragraph:
			if _, isQuoted := n.Parent().(*ast.Blockquote); isQuoted {
				first := n.Lines().At(0)
				line := string(bytes.TrimSpace(first.Value(r.source)))
				if strings.HasPrefix(line, "[!") && (!alert.MatchString(line) || n.Lines().Len() == 1) {
					problems = append(problems, "an alert that is a quote: "+line)
				}
			}
		}
	})
	return problems
}

// links returns where the links of the page lead.
func (r rendered) links() (links []string) {
	r.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, string(n.Destination))
		case *ast.Image:
			links = append(links, string(n.Destination))
		}
	})
	return links
}

func TestRendered(t *testing.T) {
	for _, name := range pages(t) {
		for _, problem := range render(name, Text(t, name)).problems() {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

func TestProblems(t *testing.T) {
	for page, want := range map[string]int{
		"> [!WARNING]\n> Don't.\n":                             0,
		"> A quote.\n\n```sh\nls\n```\n":                       0,
		"> [!WARNING] Don't.\n":                                1,
		"> [!WARNING]\n":                                       1,
		"> [!WARNINGS]\n> Don't.\n":                            1,
		"> [!WARNING]\n> Don't >\n> and don't.\n":              1,
		"> [!WARNING]\n> Don't.\n> > **Don't.**\n":             1,
		"```\nls\n```\n":                                       1,
		"1. One\n\n   > [!WARNING]\n   > In a list no alert\n": 1,
	} {
		if problems := render("", page).problems(); len(problems) != want {
			t.Errorf("%q has the problems %q, want %d", page, problems, want)
		}
	}
}

// site is where the pages are on GitHub.
var site = regexp.MustCompile(`^https://github\.com/seed-961d0905/ulid/(?:blob|tree)/main/`)

// deadLink returns why a link from a folder of the repository leads nowhere, or "".
func deadLink(t *testing.T, folder, link string) string {
	if onSite := site.FindString(link); onSite != "" {
		folder, link = ".", strings.TrimPrefix(link, onSite)
	}
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	file, fragment, _ := strings.Cut(link, "#")
	return deadTarget(t, path.Join(folder, file), fragment)
}

func deadTarget(t *testing.T, file, fragment string) string {
	if _, err := os.Stat(filepath.Join(Root(), file)); err != nil {
		return "there is no " + file
	}
	if fragment == "" {
		return ""
	}
	if path.Ext(file) != ".md" || !slices.Contains(render(file, Text(t, file)).anchors, fragment) {
		return file + " has no heading for #" + fragment
	}
	return ""
}

// TestLinks follows the links of pages, and the names of pages in doc comments, heads of SQL files, tests and scripts.
func TestLinks(t *testing.T) {
	for _, name := range pages(t) {
		for _, link := range render(name, Text(t, name)).links() {
			if strings.HasPrefix(link, "#") {
				link = path.Base(name) + link
			}
			if why := deadLink(t, path.Dir(name), link); why != "" {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
	mention := regexp.MustCompile(
		`https://github\.com/seed-961d0905/ulid/(?:blob|tree)/main/[\w./#-]+|(?:^|[^/\w])((?:docs|testdata)/[\w./#-]+)`)
	for _, name := range append(files(t, ".go", ".sql", ".sh", ".yml"), ".ci/run", ".ci/release") {
		if name == "interop/page/rendered_test.go" || strings.Contains(name, "/testdata/") {
			continue
		}
		for _, found := range mention.FindAllStringSubmatch(Text(t, name), -1) {
			link := strings.TrimRight(cmp.Or(found[1], found[0]), ".")
			if file, _, _ := strings.Cut(link, "#"); path.Ext(file) != ".md" && !site.MatchString(link) {
				continue
			}
			if why := deadLink(t, ".", link); why != "" {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
}

func TestDeadLinks(t *testing.T) {
	for link, isDead := range map[string]bool{
		"storage.md":                  false,
		"../README.md":                false,
		"https://go.dev/no-such-page": false, // nobody is asked
		"https://github.com/seed-961d0905/ulid/blob/main/docs/none.md": true,
		"../LICENSE":          false,
		"none.md":             true,
		"storage.md#none":     true,
		"../ulid.go#none":     true,
		"../docs/storage.md#": false,
		"../interop/page/testdata/page.md#a-heading": false,
	} {
		if why := deadLink(t, "docs", link); (why != "") != isDead {
			t.Errorf("%s is dead: %q", link, why)
		}
	}
}
