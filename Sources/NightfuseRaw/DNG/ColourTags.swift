internal import NightfuseCore

/// The colour of the camera as the file states it: calibrations, neutral, exposure.
struct ColourTags {
    private(set) var calibrations: [RawFrame.Calibration] = []
    /// Raw RGB of a white object, largest 1; nil where the file does not say.
    private(set) var neutral: [Double]?
    private(set) var baselineExposure = 0.0
    /// What was ignored or assumed, a sentence each.
    private(set) var notes: [String] = []

    init(_ tags: DNGTags) throws(NightfuseError) {
        let balance = try diagonal(tags, .analogBalance)
        // A calibration is for the profile whose signature it bears (DNG 1.4, CameraCalibrationSignature).
        let isCalibrated =
            try tags.string(.cameraCalibrationSignature) == tags.string(.profileCalibrationSignature)
        let sources: [(TIFFTag, TIFFTag, TIFFTag, TIFFTag)] = [
            (.colorMatrix1, .cameraCalibration1, .forwardMatrix1, .calibrationIlluminant1),
            (.colorMatrix2, .cameraCalibration2, .forwardMatrix2, .calibrationIlluminant2),
        ]
        var individual: [Matrix3] = []
        var forward: [Matrix3?] = []
        for (colour, calibration, forwardTag, illuminant) in sources {
            guard let matrix = try matrix(tags, colour) else { continue }
            let own = balance * (isCalibrated ? try self.matrix(tags, calibration) ?? .identity : .identity)
            guard own.inverse != nil, (own * matrix).inverse != nil else {
                notes.append("\(colour) cannot be inverted and was ignored.")
                continue
            }
            calibrations.append(
                RawFrame.Calibration(
                    illuminant: try tags.ints(illuminant)?.first ?? 0, colourMatrix: own * matrix))
            individual.append(own)
            forward.append(try self.matrix(tags, forwardTag))
        }
        if calibrations.isEmpty { notes.append("The file has no colour matrix.") }
        try readNeutral(tags)
        for i in calibrations.indices {
            calibrations[i].forwardMatrix = forward[i].flatMap { forAsShot($0, individual[i]) }
        }
        if let stops = try tags.doubles(.baselineExposure)?.first, abs(stops) <= 20 { baselineExposure = stops }
    }

    private mutating func readNeutral(_ tags: DNGTags) throws(NightfuseError) {
        if let values = try tags.doubles(.asShotNeutral) {
            let largest = values.max() ?? 0
            if values.count == 3, values.allSatisfy({ $0 > 0 && $0.isFinite }) {
                neutral = values.map { $0 / largest }
                return
            }
            notes.append("AsShotNeutral \(values.prefix(4)) makes no white and was ignored.")
        }
        if let xy = try tags.doubles(.asShotWhiteXY) {
            neutral = xy.count == 2 ? WhitePoint(x: xy[0], y: xy[1]).neutral(calibrations) : nil
            if neutral != nil { return }
            notes.append("AsShotWhiteXY \(xy.prefix(4)) makes no white and was ignored.")
        }
        notes.append("The file does not say what was white.")
    }

    /// A forward matrix for samples divided by the neutral. DNG divides in the space of its reference camera instead,
    /// on the other side of AnalogBalance and CameraCalibration; where those are not diagonal that differs, and the
    /// difference is folded in.
    private func forAsShot(_ forward: Matrix3, _ individual: Matrix3) -> Matrix3? {
        guard let neutral, let toReference = individual.inverse else { return forward }
        let reference = toReference * neutral
        guard reference.allSatisfy({ $0 > 0 }) else { return nil }
        return forward * diagonal(reference.map { 1 / $0 }) * toReference * diagonal(neutral)
    }

    private func diagonal(_ values: [Double]) -> Matrix3 {
        Matrix3([values[0], 0, 0, 0, values[1], 0, 0, 0, values[2]])
    }

    /// A diagonal matrix of a tag's three numbers; without the tag, the identity.
    private mutating func diagonal(_ tags: DNGTags, _ tag: TIFFTag) throws(NightfuseError) -> Matrix3 {
        guard let values = try tags.doubles(tag) else { return .identity }
        guard values.count == 3, values.allSatisfy({ $0 > 0 && $0.isFinite }) else {
            notes.append("\(tag) \(values.prefix(4)) was ignored.")
            return .identity
        }
        return diagonal(values)
    }

    private mutating func matrix(_ tags: DNGTags, _ tag: TIFFTag) throws(NightfuseError) -> Matrix3? {
        guard let values = try tags.doubles(tag) else { return nil }
        guard values.count == 9, values.allSatisfy({ abs($0) < 1000 }) else {
            notes.append(
                "\(tag) has \(values.count) values where 9 were expected, or impossible ones, and was ignored.")
            return nil
        }
        return Matrix3(values)
    }
}
