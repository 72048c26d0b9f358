// Package card draws the pictures of pages.
package card

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed card.svg
var cardText string

var cardTemplate = template.Must(template.New("").Parse(cardText))

// A Card is a picture whose background has a color, so that it reads on any page, light or dark.
type Card struct {
	Width, Height         int
	Title, Subtitle, Note string
	Body                  any // what the templates of the body get
}

// Draw returns the picture. The text defines the templates body, light and dark: what the card shows, and the colors.
func (c Card) Draw(text string) (string, error) {
	t, err := template.Must(cardTemplate.Clone()).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, c)
	return b.String(), err
}
