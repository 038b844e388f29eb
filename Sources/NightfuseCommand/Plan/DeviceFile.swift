package import NightfuseCore
package import NightfuseMetering

/// Reads device.json: a camera's limits and noise. Every key has a default; an unknown one is refused, since it is
/// most often a known one misspelt.
package struct DeviceFile {
    private static let keys = [
        "exposure_s", "handheld_exposure_s", "iso", "max_frames", "frame_gap_s", "frame_width", "frame_height", "noise",
    ]
    private static let noiseKeys = ["shot_per_iso", "read_electrons", "read_floor"]

    private let name: String
    private let root: JSONValue

    /// - Throws: `.file` with the file's name, the key and what is wrong with it.
    package static func decode(_ bytes: [UInt8], name: String) throws(NightfuseError) -> DeviceLimits {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONParser.parse(bytes)
        } catch {
            throw .file(name, "line \(error.line) is not JSON: \(error.reason)")
        }
        return try DeviceFile(name: name, root: root).limits()
    }

    private func limits() throws(NightfuseError) -> DeviceLimits {
        try checkKeys(root, DeviceFile.keys, of: "the device")
        var limits = DeviceLimits()
        if let (low, high) = try pair("exposure_s") {
            (limits.minExposureSeconds, limits.maxExposureSeconds) = (low, high)
        }
        // A camera that exposes less long than the default hand-held cap is capped by itself.
        limits.handheldExposureSeconds =
            try number("handheld_exposure_s")
            ?? max(min(limits.handheldExposureSeconds, limits.maxExposureSeconds), limits.minExposureSeconds)
        if let (low, high) = try pair("iso") { (limits.minISO, limits.maxISO) = (low, high) }
        if let count = try whole("max_frames") { limits.maxFrames = count }
        if let gap = try number("frame_gap_s") { limits.frameGapSeconds = gap }
        limits.frameWidth = try whole("frame_width")
        limits.frameHeight = try whole("frame_height")
        if let noise = root["noise"] {
            try checkKeys(noise, DeviceFile.noiseKeys, of: "noise")
            if let value = try number("shot_per_iso", in: noise) { limits.noise.shotPerISO = value }
            if let value = try number("read_electrons", in: noise) { limits.noise.readElectrons = value }
            if let value = try number("read_floor", in: noise) { limits.noise.readFloor = value }
        }
        do throws(NightfuseError) {
            return try limits.validated()
        } catch {
            throw .file(name, error.description)
        }
    }

    private func checkKeys(_ value: JSONValue, _ known: [String], of what: String) throws(NightfuseError) {
        guard case .object(let members) = value else {
            throw .file(name, "\(what) must be an object in braces, not \(value.kind)")
        }
        for member in members where !known.contains(member.key) {
            let hint = nearest(to: member.key, among: known).map { "did you mean \($0)?" }
            let all = "known are " + known.joined(separator: ", ")
            throw .file(name, "unknown key \(quoted(member.key)) in \(what); \(hint ?? all)")
        }
    }

    private func number(_ key: String, in object: JSONValue? = nil) throws(NightfuseError) -> Double? {
        guard let value = (object ?? root)[key] else { return nil }
        guard let number = value.double else { throw .file(name, "\(key) must be a number, not \(value.kind)") }
        return number
    }

    private func whole(_ key: String) throws(NightfuseError) -> Int? {
        guard let number = try number(key) else { return nil }
        guard let whole = Int(exactly: number) else {
            throw .file(name, "\(key) must be a whole number, not \(plainNumber(number))")
        }
        return whole
    }

    private func pair(_ key: String) throws(NightfuseError) -> (Double, Double)? {
        guard let value = root[key] else { return nil }
        guard case .array(let values) = value, values.count == 2, let low = values[0].double,
            let high = values[1].double
        else { throw .file(name, "\(key) must be a list of two numbers, [lowest, highest]") }
        return (low, high)
    }
}
