#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

internal import NightfuseMetering

/// Frames along time: each as wide as its exposure is long and as high as its light (exposure x ISO, in stops); roles
/// are told apart by colour and by pattern.
struct TimelineChart {
    struct Bar {
        var start: Double
        var exposureSeconds: Double
        var iso: Double
        var role: FrameRole
        var label: String
    }

    let bars: [Bar]
    let title: String

    private static let width = 720.0
    private static let height = 200.0
    private static let bottom = 160.0

    var svg: String {
        let end = bars.map { $0.start + $0.exposureSeconds }.max() ?? 1
        let scale = (TimelineChart.width - 20) / max(end, 1e-6)
        let light = bars.map { log2(max($0.exposureSeconds * $0.iso, 1e-6)) }
        let high = light.max() ?? 0
        // Four stops at least from the lowest bar to the highest: a small difference shall look small.
        let range = max(high - (light.min() ?? 0), 4)
        var text =
            """
            <svg class="chart" role="img" viewBox="0 0 720 200" aria-labelledby="time-title time-desc">
            <title id="time-title">\(escaped(title))</title>
            <desc id="time-desc">\(escaped(description))</desc>
            <defs>
            <pattern id="p-long" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
            <rect class="track" width="8" height="8"/><line class="s-long" x1="2" y1="0" x2="2" y2="8" stroke-width="4"/></pattern>
            <pattern id="p-short" width="7" height="7" patternUnits="userSpaceOnUse">\
            <rect class="track" width="7" height="7"/><circle class="m-short" cx="3.5" cy="3.5" r="2.4"/></pattern>
            </defs>
            <line class="axis" x1="10" y1="160.5" x2="710" y2="160.5"/>

            """
        for (bar, stops) in zip(bars, light) {
            let tall = 140 - (high - stops) / range * 100
            let width = max(bar.exposureSeconds * scale - 1, 1.5)
            text +=
                "<rect x=\"\(fixed(10 + bar.start * scale, 1))\" y=\"\(fixed(TimelineChart.bottom - tall, 1))\" width=\""
                + "\(fixed(width, 1))\" height=\"\(fixed(tall, 1))\" \(bar.role.paint) stroke-width=\"1.5\"><title>"
                + "\(escaped(bar.label))</title></rect>\n"
        }
        let step = niceStep(max(end, 1e-3) / 3)
        var tick = 0
        while Double(tick) * step <= end * 1.0001 {
            let x = 10 + Double(tick) * step * scale
            let anchor = tick == 0 ? "start" : x > 680 ? "end" : "middle"
            text +=
                "<text class=\"secondary\" x=\"\(fixed(x, 1))\" y=\"178\" text-anchor=\"\(anchor)\">"
                + "\(plainNumber(Double(tick) * step)) s</text>\n"
            tick += 1
        }
        return text + legend + "</svg>\n"
    }

    private var legend: String {
        var (text, x) = ("", 10.0)
        for role in FrameRole.allCases where bars.contains(where: { $0.role == role }) {
            text +=
                "<rect x=\"\(fixed(x, 1))\" y=\"186\" width=\"14\" height=\"12\" \(role.paint)/>"
                + "<text x=\"\(fixed(x + 20, 1))\" y=\"197\">\(role.rawValue)</text>\n"
            x += 90
        }
        return text
    }

    private var description: String { bars.map(\.label).joined(separator: "; ") }
}

extension FrameRole {
    fileprivate var paint: String {
        switch self {
        case .base: "class=\"m-base s-base\""
        case .short: "class=\"s-short\" fill=\"url(#p-short)\""
        case .long: "class=\"s-long\" fill=\"url(#p-long)\""
        }
    }
}
