internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfuseMetering

/// One preview frame of 640 x 480: metering it against decoding it from JPEG, one thread.
struct MeteringBenchmark {
    let material: Material
    let runs: Int

    func run() throws(NightfuseError) {
        let (width, height) = (640, 480)
        // A second of preview at 30 frames a second, so that the meter is in its stride.
        let count = 30
        var frames: [[UInt8]] = []
        var files: [[UInt8]] = []
        for index in 0..<count {
            let picture = try material.picture(width: width, height: height, index: index)
            frames.append(interleaved(picture))
            let sink = MemorySink()
            try encodeJPEG(EncodedPicture(planes: picture.planes, maxCode: 255), quality: 90, to: sink)
            files.append(sink.bytes)
        }
        var metering: [Double] = []
        var decoding: [Double] = []
        var failure: NightfuseError?
        for round in 0..<max(3, runs) {
            let meter = PreviewMeter(frameWidth: 4000, frameHeight: 3000)
            for (index, frame) in frames.enumerated() {
                let tags = PreviewTags(
                    exposureSeconds: 1.0 / 30, iso: Material.iso, timeSeconds: Double(index) / 30)
                let seconds = Timing.once {
                    do throws(NightfuseError) {
                        try frame.withUnsafeBufferPointer { (bytes) throws(NightfuseError) in
                            guard let base = bytes.baseAddress else { return }
                            try meter.add(
                                base, width: width, height: height, stride: width * 3, layout: .rgb, tags: tags)
                        }
                    } catch { failure = error }
                }
                // The first frame allocates, the second starts the motion: neither is the steady state.
                if index > 1 { metering.append(seconds) }
            }
            for file in files where round < 2 {
                decoding.append(
                    Timing.once {
                        do throws(NightfuseError) {
                            _ = try decodePicture(file, name: "preview", limits: Limits())
                        } catch { failure = error }
                    })
            }
        }
        if let failure { throw failure }
        let (meter, decode) = (Timing.middle(metering), Timing.middle(decoding))
        print("Preview, \(width) x \(height), one thread, median of \(metering.count) frames")
        var table = Table("step", "ms", "x JPEG decode")
        table.add("decode JPEG q90 4:4:4", decimals(decode * 1000, 3), "1.00")
        table.add("PreviewMeter.add", decimals(meter * 1000, 3), decimals(meter / decode, 2))
        table.show()
    }

    private func interleaved(_ picture: Picture) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(picture.width * picture.height * 3)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                for plane in picture.planes { bytes.append(UInt8(truncatingIfNeeded: plane.row(y)[x])) }
            }
        }
        return bytes
    }
}
