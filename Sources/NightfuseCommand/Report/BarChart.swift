/// Amounts as bars with their numbers, one a line.
struct BarChart {
    struct Bar {
        var name: String
        var value: Double
        var text: String
    }

    /// Of the SVG's title, and its place among the page's charts.
    let title: String
    let id: String
    let bars: [Bar]

    var svg: String {
        let most = max(bars.map(\.value).max() ?? 1, 1e-9)
        let height = bars.count * 28 + 8
        let description = bars.map { "\($0.name) \($0.text)" }.joined(separator: "; ")
        var text =
            """
            <svg class="chart" role="img" viewBox="0 0 370 \(height)" aria-labelledby="\(id)-title \(id)-desc">
            <title id="\(id)-title">\(escaped(title))</title>
            <desc id="\(id)-desc">\(escaped(description))</desc>

            """
        for (index, bar) in bars.enumerated() {
            let y = 6 + index * 28
            let width = fixed(max(180 * bar.value / most, bar.value > 0 ? 1 : 0), 1)
            text += """
                <text x="0" y="\(y + 15)">\(escaped(bar.name))</text>
                <rect class="track" x="110" y="\(y)" width="180" height="20" rx="3"/>
                <rect class="m-base" x="110" y="\(y)" width="\(width)" height="20" rx="3"/>
                <text x="298" y="\(y + 15)">\(escaped(bar.text))</text>

                """
        }
        return text + "</svg>\n"
    }
}
