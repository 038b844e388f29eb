internal import NightfuseCore

/// What the directories of a written frame say, but for where things are.
struct DNGDirectories {
    /// All that describes the whole file.
    private(set) var main: TIFFDirectoryBuilder
    /// All that describes the raw samples.
    private(set) var raw: TIFFDirectoryBuilder
    private(set) var exif: TIFFDirectoryBuilder?
    private var capture: TIFFDirectoryBuilder
    private(set) var gps: TIFFDirectoryBuilder?
    private let frame: RawFrame
    private let writer: DNGWriter

    init(_ frame: RawFrame, _ writer: DNGWriter) {
        (self.frame, self.writer) = (frame, writer)
        main = TIFFDirectoryBuilder(bigEndian: frame.carried.bigEndian)
        (raw, capture) = (main, main)
    }

    /// Fills the directories in: carried entries first, then what the frame's fields say.
    mutating func finish() {
        carry()
        describeFile()
        if !hasColour { describeColour() }
        describeMosaic()
        describeLevels()
        describeOpcodes()
        describeCapture()
    }

    private mutating func carry() {
        for entry in frame.carried.main where !Self.ofCapture.contains(entry.tag) {
            // Of a file without preview, the first directory held the raw picture's tags too.
            if CarriedTags.describesRaw(entry.tag) {
                raw.set(entry)
            } else if CarriedTags.describesCapture(entry.tag) {
                capture.set(entry)
            } else {
                main.set(entry)
            }
        }
        for entry in frame.carried.raw { raw.set(entry) }
        for entry in frame.carried.exif { capture.set(entry) }
    }

    /// What some cameras' files have in the first directory and EXIF wants in its own.
    private static let ofCapture = [TIFFTag.exposureTime.rawValue, TIFFTag.iso.rawValue]

    private mutating func describeFile() {
        let latest = [1, 4, 0, 0]
        // Opcodes came with 1.3; who does not know them must not open the file.
        let hasOpcodes = raw.has(.opcodeList2) || raw.has(.opcodeList3) || !frame.gainMaps.isEmpty
        main.bytes(.dngVersion, latest.map { UInt8($0) })
        main.bytes(.dngBackwardVersion, [1, hasOpcodes ? 3 : 1, 0, 0])
        main.text(.software, writer.software)
        main.shorts(.orientation, [frame.info.orientation])
        if !main.has(.make), let make = frame.info.make { main.text(.make, make) }
        if !main.has(.model), let model = frame.info.model { main.text(.model, model) }
        if !main.has(.uniqueCameraModel) {
            let name = [frame.info.make, frame.info.model].compactMap { $0 }.joined(separator: " ")
            main.text(.uniqueCameraModel, name.isEmpty ? writer.software : name)
        }
        if !main.has(.dateTime), let date = frame.info.date { main.text(.dateTime, String(date.prefix(19))) }
    }

    private var hasColour: Bool { main.has(.colorMatrix1) || main.has(.colorMatrix2) }

    /// Calibrations as matrices that already hold balance and individual calibration, whose own tags would apply twice.
    private mutating func describeColour() {
        for tag in [TIFFTag.cameraCalibration1, .cameraCalibration2, .analogBalance, .forwardMatrix1, .forwardMatrix2] {
            main.remove(tag)
        }
        let tags: [(TIFFTag, TIFFTag, TIFFTag)] = [
            (.colorMatrix1, .forwardMatrix1, .calibrationIlluminant1),
            (.colorMatrix2, .forwardMatrix2, .calibrationIlluminant2),
        ]
        for (calibration, (colour, forward, illuminant)) in zip(frame.calibrations, tags) {
            main.signedRationals(colour, calibration.colourMatrix.m)
            if let matrix = calibration.forwardMatrix { main.signedRationals(forward, matrix.m) }
            main.shorts(illuminant, [calibration.illuminant])
        }
    }

    private mutating func describeMosaic() {
        let fullResolution = 0
        raw.longs(.newSubFileType, [fullResolution])
        raw.longs(.imageWidth, [frame.width])
        raw.longs(.imageLength, [frame.height])
        raw.shorts(.bitsPerSample, [Int](repeating: 16, count: frame.planes.count))
        raw.shorts(.samplesPerPixel, [frame.planes.count])
        raw.shorts(.planarConfiguration, [1])
        switch frame.layout {
        case .mosaic(let pattern):
            raw.shorts(.photometricInterpretation, [RasterLayout.colourFilterArray])
            raw.shorts(.cfaRepeatPatternDim, [2, 2])
            raw.bytes(.cfaPattern, pattern)
            raw.bytes(.cfaPlaneColor, [0, 1, 2])
            let rectangular = 1
            raw.shorts(.cfaLayout, [rectangular])
        case .linear:
            raw.shorts(.photometricInterpretation, [RasterLayout.linearRaw])
        }
        if !raw.has(.defaultCropSize) {
            raw.longs(.defaultCropOrigin, [frame.crop.x, frame.crop.y])
            raw.longs(.defaultCropSize, [frame.crop.width, frame.crop.height])
        }
    }

    private mutating func describeLevels() {
        raw.shorts(.blackLevelRepeatDim, [frame.blackRows, frame.blackColumns])
        if frame.black.allSatisfy({ $0 == $0.rounded() && $0 >= 0 && $0 < 65536 }) {
            raw.shorts(.blackLevel, frame.black.map { Int($0) })
        } else {
            raw.rationals(.blackLevel, frame.black.map { max($0, 0) })
        }
        raw.longs(.whiteLevel, frame.white.map { Int(min(max($0.rounded(), 1), 65535)) })
        if !frame.noise.isEmpty {
            raw.doubles(.noiseProfile, frame.noise.flatMap { [$0.shot, $0.read * $0.read] })
        }
        if frame.baselineExposure != 0 || main.has(.baselineExposure) {
            main.signedRationals(.baselineExposure, [frame.baselineExposure])
        }
        if let neutral = frame.neutral, !main.has(.asShotNeutral), !main.has(.asShotWhiteXY) {
            main.rationals(.asShotNeutral, neutral)
        }
    }

    private mutating func describeOpcodes() {
        if !raw.has(.opcodeList2) && !raw.has(.opcodeList3) {
            for (tag, number) in OpcodeList.tags where number > 1 {
                let maps = frame.gainMaps.filter { $0.byColour == (number == 3) }
                guard !maps.isEmpty else { continue }
                raw.bytes(
                    tag, OpcodeList(number: number, opcodes: maps.map { Opcode($0) }).encoded, .undefined)
            }
        }
        guard !frame.badPixels.isEmpty else { return }
        let carried = raw.entry(.opcodeList1)?.bytes
        let list = OpcodeList(number: 1, opcodes: [Opcode(badPixels: frame.badPixels, layout: frame.layout)])
        raw.bytes(.opcodeList1, carried.map { OpcodeList.joined(list.encoded, $0) } ?? list.encoded, .undefined)
    }

    private mutating func describeCapture() {
        var directory = capture
        let info = frame.info
        if let seconds = info.exposureSeconds, !directory.has(.exposureTime) {
            directory.rationals(.exposureTime, [seconds])
        }
        if let iso = info.iso, !directory.has(.iso) {
            directory.shorts(.iso, [Int(min(iso.rounded(), 65535))])
        }
        if let lens = info.lens, !directory.has(.lensModel) { directory.text(.lensModel, lens) }
        if let date = info.date, !directory.has(.dateTimeOriginal) {
            directory.text(.dateTimeOriginal, String(date.prefix(19)))
            // What was carried belonged to another date.
            directory.remove(.subSecTimeOriginal)
            if date.utf8.count > 20 { directory.text(.subSecTimeOriginal, String(date.dropFirst(20))) }
        }
        if let composite = writer.composite {
            let capturedAsOne = 3
            directory.shorts(.compositeImage, [capturedAsOne])
            directory.shorts(
                .sourceImageNumber, [min(composite.sourceCount, 65535), min(composite.usedCount, 65535)])
            if !composite.exposureTimes.isEmpty {
                directory.bytes(.sourceExposureTimes, composite.exposureTimes, .undefined)
            }
        }
        if !directory.isEmpty {
            // The composite tags came with 2.32.
            if writer.composite != nil || !directory.has(.exifVersion) {
                directory.bytes(.exifVersion, Array("0232".utf8), .undefined)
            }
            exif = directory
        }
        guard !frame.carried.gps.isEmpty else { return }
        var location = TIFFDirectoryBuilder(bigEndian: frame.carried.bigEndian)
        for entry in frame.carried.gps { location.set(entry) }
        gps = location
    }
}
