internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension EXIFBlock {
    /// What the block says of how the frame was taken. Faulty or absent values are nil.
    var captureInfo: CaptureInfo {
        var info = CaptureInfo()
        info.exposureSeconds = exposureSeconds
        info.iso = iso
        if let (date, seconds) = date { (info.date, info.timeSeconds) = (date, seconds) }
        if let value = number(main[EXIFTag.orientation]), (1...8).contains(value) { info.orientation = Int(value) }
        info.make = text(main[EXIFTag.make])
        info.model = text(main[EXIFTag.model])
        info.lens = text(find(EXIFTag.lensModel))
        return info
    }

    /// Whether the block says that its picture is in Adobe RGB: the interoperability index R03, or 2 as some write.
    var saysAdobeRGB: Bool {
        if let directory = interoperability, text(directory[EXIFTag.interoperabilityIndex]) == "R03" { return true }
        return number(find(EXIFTag.colorSpace)) == 2
    }

    /// An entry of the EXIF directory, or of IFD 0 where it stands there (TIFF/EP, DNG).
    private func find(_ tag: UInt16) -> EXIFEntry? { exif?[tag] ?? main[tag] }

    private func positive(_ tag: UInt16) -> Double? {
        guard let value = number(find(tag)), value > 0 else { return nil }
        return value
    }

    private var exposureSeconds: Double? {
        if let seconds = positive(EXIFTag.exposureTime) { return seconds }
        // APEX: the time is 2 to the power of minus the value. Beyond 2^30 in either direction it is no time.
        guard let apex = number(find(EXIFTag.shutterSpeedValue)), abs(apex) < 30 else { return nil }
        return exp2(-apex)
    }

    private var iso: Double? {
        // 65535 stands for "more than 16 bits hold"; EXIF 2.3's longer fields then have it.
        if let value = positive(EXIFTag.isoSpeedRatings), value < 65535 { return value }
        return positive(EXIFTag.recommendedExposureIndex) ?? positive(EXIFTag.isoSpeed)
            ?? positive(EXIFTag.standardOutputSensitivity) ?? positive(EXIFTag.isoSpeedRatings)
    }

    private var date: (String, Double)? {
        date(EXIFTag.dateTimeOriginal, EXIFTag.subSecTimeOriginal)
            ?? date(EXIFTag.dateTimeDigitized, EXIFTag.subSecTimeDigitized)
    }

    private func date(_ tag: UInt16, _ subSecondTag: UInt16) -> (String, Double)? {
        guard let text = text(find(tag)), let seconds = secondsSince1970(text) else { return nil }
        let digits = (self.text(find(subSecondTag)) ?? "").utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !digits.isEmpty, digits.count <= 9, let fraction = Double("0." + String(decoding: digits, as: UTF8.self))
        else { return (text, seconds) }
        return (text + "." + String(decoding: digits, as: UTF8.self), seconds + fraction)
    }
}

/// Seconds from 1970-01-01 00:00 to "YYYY:MM:DD HH:MM:SS" on the same clock; nil for what is no date.
func secondsSince1970(_ text: String) -> Double? {
    let numbers = text.utf8.split { $0 < 0x30 || $0 > 0x39 }.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count >= 6, (1...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
        (1...31).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60
    else { return nil }
    // Days by the proleptic Gregorian calendar, with years that begin in March so that the leap day comes last.
    let year = numbers[1] > 2 ? numbers[0] : numbers[0] - 1
    let month = (numbers[1] + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 1 - 719_468
    return Double(((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5])
}
