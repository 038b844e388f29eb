internal import NightfusePipeline

/// The frames of a burst as a table with small pictures.
struct FrameTable {
    let frames: [FrameEntry]
    let reference: Int

    func add(to html: inout HTML) {
        html.add(
            """
            <div class="scroll" tabindex="0" role="region" aria-label="Frames">
            <table>
            <caption>In the order given; shift and turn against the reference.</caption>
            <thead><tr><th scope="col">Frame</th><th scope="col">Picture</th><th scope="col">File</th>\
            <th scope="col" class="n">Exposure</th><th scope="col" class="n">ISO</th>\
            <th scope="col" class="n">Light</th><th scope="col" class="n">Shift px</th>\
            <th scope="col" class="n">Turn</th><th scope="col" class="n">Sharpness</th>\
            <th scope="col" class="n">Weight</th><th scope="col">Note</th></tr></thead>
            <tbody>

            """)
        for (index, frame) in frames.enumerated() { row(&html, index, frame) }
        html.add("</tbody>\n</table>\n</div>\n")
    }

    private func row(_ html: inout HTML, _ index: Int, _ frame: FrameEntry) {
        let report = frame.report
        html.add("<tr\(report.used ? "" : " class=\"left-out\"")><td class=\"n\">\(index)</td><td>")
        if let image = frame.thumbnail {
            html.add(image, alt: "frame \(index)", lazy: true)
        } else {
            html.add("–")
        }
        func measured(_ text: String) -> String { frame.isMeasured ? text : "–" }
        let cells = [
            report.exposureSeconds.map(exposureText) ?? "–", report.iso.map { fixed($0, 0) } ?? "–",
            measured("× " + fixed(report.exposureRatio, 2)),
            measured("\(fixed(report.shift.x, 1)), \(fixed(report.shift.y, 1))"),
            measured(fixed(report.rotationDegrees, 2) + "°"), measured(fixed(report.sharpness, 2)),
            measured(fixed(report.weight, 2)),
        ]
        let name = report.name.split(separator: "/").last.map(String.init) ?? report.name
        html.add("</td><td class=\"file\" title=\"\(escaped(report.name))\">\(escaped(name))</td>")
        for cell in cells { html.add("<td class=\"n\">\(escaped(cell))</td>") }
        let state = index == reference ? "the reference" : report.used ? "" : "left out"
        let note = [state, report.reason ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        html.add("<td>\(escaped(note))</td></tr>\n")
    }
}
