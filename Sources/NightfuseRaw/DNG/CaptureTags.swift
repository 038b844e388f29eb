internal import NightfuseCore

extension CaptureInfo {
    /// When and how the frame was taken: from the EXIF directory, else from the image directories.
    init(_ tags: DNGTags) throws(NightfuseError) {
        self.init()
        let places = [tags.exif, tags.main, tags.raw].compactMap { $0 }
        exposureSeconds = try Self.first(places) { (d) throws(NightfuseError) in try d.doubles(.exposureTime)?.first }
        iso = try Self.iso(places)
        try readDate(places)
        let turn = try tags.ints(.orientation)?.first ?? 1
        orientation = (1...8).contains(turn) ? turn : 1
        make = try tags.string(.make)
        model = try tags.string(.model)
        if model == nil { model = try tags.string(.uniqueCameraModel) }
        lens = try tags.exif?.string(.lensModel)
        if lens == nil { lens = try tags.string(.lensModel) }
    }

    /// The first number above zero.
    private static func first(
        _ places: [TIFFDirectory], _ read: (TIFFDirectory) throws(NightfuseError) -> Double?
    ) throws(NightfuseError) -> Double? {
        for place in places {
            if let value = try read(place), value > 0, value.isFinite { return value }
        }
        return nil
    }

    private static func iso(_ places: [TIFFDirectory]) throws(NightfuseError) -> Double? {
        let short = try first(places) { (d) throws(NightfuseError) in try d.doubles(.iso)?.first }
        // 65535 in the 16-bit tag means: see the wide ones (EXIF 2.3).
        if let short, short < 65535 { return short }
        let speed = try first(places) { (d) throws(NightfuseError) in try d.doubles(.isoSpeed)?.first }
        let index = try first(places) { (d) throws(NightfuseError) in
            try d.doubles(.recommendedExposureIndex)?.first
        }
        return speed ?? index ?? short
    }

    private mutating func readDate(_ places: [TIFFDirectory]) throws(NightfuseError) {
        let tags: [(TIFFTag, TIFFTag)] = [
            (.dateTimeOriginal, .subSecTimeOriginal), (.dateTimeDigitized, .subSecTimeDigitized),
            (.dateTime, .subSecTime),
        ]
        for (tag, subTag) in tags {
            for place in places {
                guard let text = try place.string(tag), let seconds = Self.seconds(text) else { continue }
                var fraction = ""
                for place in places where fraction.isEmpty { fraction = try place.string(subTag) ?? "" }
                let isDigits = !fraction.isEmpty && fraction.utf8.allSatisfy { (48...57).contains($0) }
                date = isDigits ? "\(text).\(fraction)" : text
                timeSeconds = seconds + (isDigits ? Double("0.\(fraction)") ?? 0 : 0)
                return
            }
        }
    }

    /// Seconds since 1970 of "YYYY:MM:DD HH:MM:SS"; nil where the text is none.
    private static func seconds(_ text: String) -> Double? {
        let parts = text.utf8.split { !(48...57).contains($0) }.map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
        guard parts.count == 6, (1...9999).contains(parts[0]), (1...12).contains(parts[1]),
            (1...31).contains(parts[2]), (0...23).contains(parts[3]), (0...59).contains(parts[4]),
            (0...60).contains(parts[5])
        else { return nil }
        // Days of the civil calendar, counted from March so that the leap day comes last.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let month = (parts[1] + 9) % 12
        let dayOfYear = (153 * month + 2) / 5 + parts[2] - 1
        let days = 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        return Double(days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
    }
}
