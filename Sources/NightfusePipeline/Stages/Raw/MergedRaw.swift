package import NightfuseCore
internal import NightfuseKernels

extension RawDevelopment {
    /// The merge as a raw frame of the reference's geometry: at every place of its mosaic the merged light of that place's
    /// colour, white balance and lens gains undone, not denoised; 16 bits with black where noise fits below it.
    ///
    /// Where the reference was saturated the merged sample is, so that raw developers know highlights for what they are.
    ///
    /// - Parameters:
    ///   - fusion: of frames that this development made with `isPicture` false; not yet finished.
    package func merged(_ fusion: Fusion, workers: Workers) throws(NightfuseError) -> RawFrame {
        let merge = fusion.merged
        let levels = MergedLevels(
            reference, read: samples.enumerated().map { $0.element.read / colour.gains[$0.offset] })
        let maps = reference.gainMaps.map { GainGrid($0, width: reference.width, height: reference.height) }
        var planes: [Plane<UInt16>] = []
        for _ in reference.planes {
            planes.append(try Plane(width: reference.width, height: reference.height, isZero: false))
        }
        let out = planes
        let drift = Float(fusion.blackDrift.offset)
        try workers.bands(reference.height, grain: 32) { (_, rows) throws(NightfuseError) in
            let line = UnsafeMutablePointer<Float>.allocate(capacity: 2 * merge.width)
            defer { line.deallocate() }
            let lens = line + merge.width
            for y in rows {
                for plane in 0..<out.count {
                    self.light(merge, y: y, plane: plane, drift: drift, into: line)
                    lens.update(repeating: 1, count: merge.width)
                    for map in maps { map.apply(y: y, plane: plane, layout: self.layout, to: lens) }
                    let source = self.reference.planes[plane].row(y)
                    // A code or two short of white is saturation too, where dark frames were taken off.
                    let white = UInt16(min(self.reference.white[min(plane, self.reference.white.count - 1)], 65535))
                    let saturated = white - white / 256
                    for x in 0..<merge.width {
                        line[x] = source[x] >= saturated ? 1 : line[x] / max(lens[x], 1e-6)
                    }
                    quantiseRow(
                        line, count: merge.width, scale: levels.scale, offset: levels.black, into: out[plane].row(y))
                }
            }
        }
        return frame(planes, levels: levels, noise: leftNoise(fusion))
    }

    /// Merged sensor light of a row, one colour a place.
    private func light(
        _ merge: Merge, y: Int, plane: Int, drift: Float, into line: UnsafeMutablePointer<Float>
    ) {
        let weight = merge.weight.row(y / 2)
        for parity in 0..<2 {
            let colour = layout.colour(x: parity, y: y, plane: plane)
            let (sums, gain) = (merge.sums[colour].row(y), 1 / Float(self.colour.gains[colour]))
            for x in stride(from: parity, to: merge.width, by: 2) {
                line[x] = sums[x] / max(weight[x / 2], 1e-6) * gain + drift
            }
        }
    }

    /// Noise of the merged samples, mean over the picture, one a colour.
    ///
    /// The reference's own samples are as they were; those of other frames are made by the demosaic and the resampling.
    private func leftNoise(_ fusion: Fusion) -> [NoiseModel] {
        let merge = fusion.merged
        var (own, others, count) = (0.0, 0.0, 0.0)
        for y in stride(from: 0, to: merge.weight.height, by: 2) {
            let (weight, square) = (merge.weight.row(y), merge.weight2.row(y))
            for x in 0..<merge.weight.width {
                let inverse = 1 / (weight[x] * weight[x])
                own += Double(inverse)
                others += Double(max(square[x] - 1, 0) * inverse)
                count += 1
            }
        }
        let isMosaic = reference.planes.count == 1
        let channels = fusion.noise.channels
        let single = noise?.samples ?? RawNoise.samples(of: channels, isMosaic: isMosaic)
        let resampling = Double(merge.resamplingNoise)
        return (0..<3).map { c in
            let gain = colour.gains[c]
            let shot = (single[c].shot * own + channels[c].shot * others * resampling) / count
            let read =
                (single[c].read * single[c].read * own + channels[c].read * channels[c].read * others * resampling)
            return NoiseModel(shot: shot / gain, read: (read / count).squareRoot() / gain)
        }
    }

    private func frame(_ planes: [Plane<UInt16>], levels: MergedLevels, noise: [NoiseModel]) -> RawFrame {
        let raw = reference
        return RawFrame(
            planes: planes, layout: raw.layout, black: [Double](repeating: Double(levels.black), count: planes.count),
            blackRows: 1, blackColumns: 1, white: [Double](repeating: 65535, count: planes.count), neutral: raw.neutral,
            calibrations: raw.calibrations, baselineExposure: raw.baselineExposure, noise: noise,
            gainMaps: raw.gainMaps,
            badPixels: [], crop: raw.crop, info: raw.info, name: raw.name, bits: 16, compression: "none",
            notes: colour.notes, carried: raw.carried)
    }
}

/// Black and the scale of merged samples: white is 65535.
private struct MergedLevels {
    let black: Float
    /// Codes for light from 0 to 1.
    let scale: Float

    /// Black takes the same part of the range as in the reference, or more where noise would be cut off below.
    init(_ raw: RawFrame, read: [Double]) {
        let part = (raw.black.max() ?? 0) / (raw.white.max() ?? 65535)
        // The merge has less noise than a frame; where it has not (things that moved), eight sigma leave nothing out.
        let room = 8 * (read.max() ?? 0)
        let share = min(max(part, room / (1 + room)), 0.5)
        black = Float((65535 * share).rounded())
        scale = 65535 - black
    }
}
