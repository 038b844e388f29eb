/// The report's colours by meaning, each for light and dark pages and for both again with more contrast.
///
/// White is softened and black is not quite black, so that neither glows beside the pictures.
package enum ReportPalette {
    package struct Colour: Sendable {
        package let name: String
        /// "#rrggbb".
        package let light: String
        package let dark: String
        package let lightHighContrast: String
        package let darkHighContrast: String

        init(_ name: String, _ light: String, _ dark: String, _ lightHighContrast: String, _ darkHighContrast: String) {
            self.name = name
            self.light = light
            self.dark = dark
            self.lightHighContrast = lightHighContrast
            self.darkHighContrast = darkHighContrast
        }

        /// In the order light, dark, light and dark with more contrast.
        package var all: [String] { [light, dark, lightHighContrast, darkHighContrast] }
    }

    /// What text and marks stand on.
    package static let surfaces = [
        Colour("background", "#f4f2ee", "#141416", "#fbfaf8", "#0a0a0c"),
        Colour("elevated-background", "#faf9f6", "#1d1d20", "#f2f0eb", "#131316"),
        Colour("fill", "#e8e5de", "#29292d", "#e4e0d7", "#222226"),
    ]
    /// Text: at least 7 : 1 on every surface.
    package static let texts = [
        Colour("label", "#1d1c1a", "#e6e3dd", "#0a0a09", "#f6f4f0"),
        Colour("secondary-label", "#45423d", "#bdb9b1", "#26241f", "#dcd9d2"),
    ]
    /// Large marks in charts: at least 4.5 : 1 on every surface.
    package static let marks = [
        Colour("base", "#24588c", "#7fb0e0", "#123f6d", "#a4c9ee"),
        Colour("short", "#8a4a00", "#e0a85a", "#5f3200", "#f0c48a"),
        Colour("long", "#5d3f95", "#b79be6", "#40267a", "#cdb8f2"),
        Colour("left-out", "#a3262a", "#f08f8a", "#7c1216", "#f8b3af"),
    ]
    /// Lines between things; nothing hangs on seeing them.
    package static let lines = [Colour("separator", "#cfcbc2", "#3c3c41", "#6b675f", "#8b8b91")]

    /// The style rules that set them all. Without a choice of the reader's the system's appearance counts, live.
    static var css: String {
        let colours = surfaces + texts + marks + lines
        func rule(_ selector: String, _ scheme: String, _ value: (Colour) -> String) -> String {
            "\(selector){color-scheme:\(scheme);" + colours.map { "--\($0.name):\(value($0))" }.joined(separator: ";")
                + "}"
        }
        let system = ":root:not([data-appearance])"
        return [
            rule(":root", "light") { $0.light },
            "@media (prefers-color-scheme:dark){" + rule(system, "dark") { $0.dark } + "}",
            rule(":root[data-appearance=dark]", "dark") { $0.dark },
            "@media (prefers-contrast:more){",
            rule(":root", "light") { $0.lightHighContrast },
            rule(":root[data-appearance=light]", "light") { $0.lightHighContrast },
            rule(":root[data-appearance=dark]", "dark") { $0.darkHighContrast },
            "}",
            "@media (prefers-contrast:more) and (prefers-color-scheme:dark){"
                + rule(system, "dark") {
                    $0.darkHighContrast
                } + "}",
        ].joined(separator: "\n")
    }
}
