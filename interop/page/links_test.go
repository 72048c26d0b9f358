package page

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeBlock   = regexp.MustCompile("(?m)^ *```(?s:.*?)^ *```$")
	codeSpan    = regexp.MustCompile("`[^`]*`")
	destination = regexp.MustCompile(`\]\((\S+?)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_-]`)
	mention     = regexp.MustCompile(`(?:docs|testdata)/[\w-]+\.md(?:#[\w-]+)?`)
)

// TestLinks follows the links of pages to files and headings of the repository, and the names of pages in other files.
func TestLinks(t *testing.T) {
	for _, name := range pages(t) {
		text := codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(Text(t, name), ""), "")
		for _, m := range destination.FindAllStringSubmatch(text, -1) {
			link := m[1]
			if strings.HasPrefix(link, "#") {
				link = path.Base(name) + link
			}
			if !strings.Contains(link, ":") {
				follow(t, name, path.Join(path.Dir(name), link))
			}
		}
	}
	for _, name := range files(t, ".go", ".sql", ".sh") {
		for _, link := range mention.FindAllString(Text(t, name), -1) {
			follow(t, name, link)
		}
	}
}

// follow fails the test unless a link of the page leads to a file or heading.
func follow(t *testing.T, page, link string) {
	t.Helper()
	file, anchor, hasAnchor := strings.Cut(link, "#")
	if _, err := os.Stat(filepath.Join(Root(), file)); err != nil {
		t.Errorf("%s links to %s, and there is no such file", page, link)
	} else if hasAnchor && !slices.Contains(anchors(Text(t, file)), anchor) {
		t.Errorf("%s links to %s, and no heading there has this anchor", page, link)
	}
}

// anchors returns those that GitHub gives the headings of a page.
func anchors(text string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		name := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
		name = notInAnchor.ReplaceAllString(name, "")
		first := name
		for n := 1; slices.Contains(list, name); n++ {
			name = fmt.Sprint(first, "-", n)
		}
		list = append(list, name)
	}
	return list
}
