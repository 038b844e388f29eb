internal import NightfuseMetering

extension CapturePlan {
    /// The page of `plan --report`.
    var reportPage: [UInt8] {
        var page = ReportPage(
            title: "Capture plan",
            lines: [
                nightMode ? "Night mode: on" : "Night mode: off, light enough; what to shoot all the same",
                "\(frames.count) frame\(frames.count == 1 ? "" : "s") in \(fixed(fusionTimeSeconds, 2)) s",
            ])
        page.section("Timeline") { html in
            html.add(TimelineChart(bars: timelineBars, title: "Exposures along time").svg)
        }
        page.section("Frames") { html in
            addTable(
                to: &html, caption: "In the order to shoot them.",
                heads: ["Frame", "Exposure", "ISO", "Role"],
                rows: frames.enumerated().map { index, frame in
                    ["\(index + 1)", exposureText(frame.exposureSeconds), fixed(frame.iso, 0), frame.role.rawValue]
                })
        }
        page.sideBySide { page in
            page.section("Scene") { html in
                addTable(to: &html, caption: "As the preview shows it.", heads: ["What", "Measured"], rows: sceneRows)
            }
            page.section("Because") { html in
                let reasons = because.isEmpty ? ["Nothing special drove this plan."] : because
                html.add("<ul>" + reasons.map { "<li>\(escaped($0))</li>" }.joined() + "</ul>\n")
            }
        }
        return page.finished(footer: ["nightfuse \(nightfuseVersion)"])
    }

    private var timelineBars: [TimelineChart.Bar] {
        let exposed = frames.reduce(0) { $0 + $1.exposureSeconds }
        // What is not exposure is gaps, evenly.
        let gap = frames.count > 1 ? max(fusionTimeSeconds - exposed, 0) / Double(frames.count - 1) : 0
        var start = 0.0
        return frames.enumerated().map { index, frame in
            defer { start += frame.exposureSeconds + gap }
            return TimelineChart.Bar(
                start: start, exposureSeconds: frame.exposureSeconds, iso: frame.iso, role: frame.role,
                label: "frame \(index + 1): \(exposureText(frame.exposureSeconds)), ISO \(fixed(frame.iso, 0)), "
                    + frame.role.rawValue)
        }
    }
}

/// A plain table.
func addTable(to html: inout HTML, caption: String, heads: [String], rows: [[String]]) {
    html.add("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(escaped(caption))\">\n<table>\n")
    html.add("<caption>\(escaped(caption))</caption>\n<thead><tr>")
    for head in heads { html.add("<th scope=\"col\">\(escaped(head))</th>") }
    html.add("</tr></thead>\n<tbody>\n")
    for row in rows { html.add("<tr>" + row.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>\n") }
    html.add("</tbody>\n</table>\n</div>\n")
}
