/// One self-contained page: no script, style, font or picture comes from elsewhere.
struct ReportPage {
    private var html = HTML()

    /// - Parameters:
    ///   - title: text.
    ///   - lines: text under the title.
    init(title: String, lines: [String]) {
        html.add(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="generator" content="nightfuse \(nightfuseVersion)">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
            script-src 'unsafe-inline'">
            <link rel="icon" href="data:,">
            <title>\(escaped(title))</title>
            <script>
            \(ReportScript.early)
            </script>
            <style>
            \(ReportPalette.css)
            \(ReportStyle.css)
            </style>
            </head>
            <body>
            <header>
            <div>
            <h1>\(escaped(title))</h1>

            """)
        for line in lines { html.add("<p class=\"secondary\">\(escaped(line))</p>\n") }
        html.add(
            """
            </div>
            <fieldset id="appearance">
            <legend>Appearance</legend>
            <label class="choice"><input type="radio" name="appearance" value="system" checked><span>System</span></label>
            <label class="choice"><input type="radio" name="appearance" value="light"><span>Light</span></label>
            <label class="choice"><input type="radio" name="appearance" value="dark"><span>Dark</span></label>
            </fieldset>
            </header>
            <main>

            """)
    }

    /// A section with a heading.
    mutating func section(_ heading: String, _ body: (inout HTML) -> Void) {
        html.add("<section>\n<h2>\(escaped(heading))</h2>\n")
        body(&html)
        html.add("</section>\n")
    }

    /// Sections side by side where there is room.
    mutating func sideBySide(_ body: (inout ReportPage) -> Void) {
        html.add("<div class=\"charts\">\n")
        body(&self)
        html.add("</div>\n")
    }

    /// The whole page.
    func finished(footer: [String]) -> [UInt8] {
        var html = html
        html.add("</main>\n<footer>\n")
        for line in footer { html.add("<p>\(escaped(line))</p>\n") }
        html.add("</footer>\n<script>\n\(ReportScript.late)\n</script>\n</body>\n</html>\n")
        return html.bytes
    }
}
