/// Before and after, one over the other with a slider between them; side by side in reading order where no script runs.
/// Maps can be laid over the result.
struct CompareFigure {
    struct Map {
        var image: EmbeddedImage
        var ramp: ColourRamp
        /// "frames" or "motion".
        var id: String
        var name: String
        /// What the ramp's two ends stand for.
        var ends: (String, String)
    }

    var before: EmbeddedImage
    var after: EmbeddedImage
    var beforeName: String
    var afterName: String
    var maps: [Map]

    func add(to html: inout HTML) {
        html.add("<div class=\"compare\">\n")
        if !maps.isEmpty {
            html.add("<p class=\"secondary\" id=\"map-legend\">Over the picture:</p>\n")
            pick(&html, "none", "Nothing", checked: true)
            for map in maps { pick(&html, map.id, map.name, checked: false) }
        }
        html.add("<div class=\"stage\">\n<figure class=\"before\">")
        html.add(before, alt: beforeName)
        html.add("<figcaption>\(escaped(beforeName))</figcaption></figure>\n<figure class=\"after\">")
        html.add(after, alt: afterName)
        html.add("<figcaption>\(escaped(afterName))</figcaption></figure>\n")
        for map in maps {
            html.add(map.image, alt: "\(map.name): from \(map.ends.0) to \(map.ends.1)", class: "map map-\(map.id)")
            html.add("\n")
        }
        html.add(
            """
            <div class="bar"></div>
            <input class="split" type="range" min="0" max="100" value="50" aria-label="Share shown of the picture before">
            </div>

            """)
        for map in maps { legend(&html, map) }
        html.add("</div>\n")
    }

    /// Radio buttons beside the picture in the document: style alone shows the map, without a script.
    private func pick(_ html: inout HTML, _ id: String, _ name: String, checked: Bool) {
        html.add(
            "<input class=\"pick\" type=\"radio\" name=\"map\" id=\"map-\(id)\" aria-describedby=\"map-legend\""
                + "\(checked ? " checked" : "")><label class=\"pick-label\" for=\"map-\(id)\">\(escaped(name))</label>\n"
        )
    }

    private func legend(_ html: inout HTML, _ map: Map) {
        html.add(
            """
            <div class="legend-\(map.id)"><span>\(escaped(map.ends.0))</span>\
            <svg role="img" viewBox="0 0 100 8" preserveAspectRatio="none"><title>\(escaped(map.name)), scale</title>\
            <defs><linearGradient id="ramp-\(map.id)">\(map.ramp.gradientStops)</linearGradient></defs>\
            <rect width="100" height="8" fill="url(#ramp-\(map.id))"/></svg><span>\(escaped(map.ends.1))</span></div>

            """)
    }
}
