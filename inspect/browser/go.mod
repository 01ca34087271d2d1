module github.com/lanewise/lanewise/inspect/browser

go 1.26.0

replace github.com/lanewise/lanewise => ../..

require (
	github.com/chromedp/chromedp v0.23.0
	github.com/lanewise/lanewise v0.1.0
)

require (
	github.com/chromedp/cdproto v0.159.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
