internal import NightScene
internal import NightfuseCodecs
internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Takes the pictures and puts them into their folders.
struct SampleWriter {
    let options: Options
    let workers: Workers
    let sensor = Sensor()
    /// Seconds: the preview runs first, then the shutter button is pressed.
    private let previewPace = 1.0 / 30
    private let lag = 0.1
    private let frameGap = 0.005

    init(_ options: Options) {
        self.options = options
        workers = Workers(threads: options.threads)
    }

    func run() throws(NightfuseError) {
        for name in ["", "/street", "/street-preview"] {
            try makeFolder(options.folder + name)
        }
        say("painting the street, \(options.width) x \(options.height), seed \(options.seed)")
        let painting = try Painting(
            view: View(width: options.width, height: options.height), seed: options.seed, workers: workers)
        let camera = try Camera(
            painting: painting, shake: HandShake(seed: options.seed, strength: options.shake), workers: workers)
        try preview(camera)
        try burst(camera)
        try put(deviceFile, "/device.json")
    }

    // MARK: Shots

    private var burstStart: Double { Double(options.previews) * previewPace + lag }

    private func burst(_ camera: Camera) throws(NightfuseError) {
        for number in 0..<options.frames {
            let start = burstStart + Double(number) * (options.exposureSeconds + frameGap)
            let shot = Camera.Shot(start: start, exposureSeconds: options.exposureSeconds, iso: options.iso)
            let light = try camera.light(shot, width: options.width, height: options.height)
            try save(
                light, shot, "/street/street_\(twoDigits(number + 1))", seed: options.seed &+ UInt64(1000 + number))
        }
        // The truth: one moment in the middle of the first frame, without noise.
        let middle = Camera.Shot(
            start: burstStart + options.exposureSeconds / 2 - 1e-6, exposureSeconds: 2e-6,
            iso: options.iso * options.exposureSeconds / 2e-6)
        let truth = try camera.light(middle, width: options.width, height: options.height, instants: 1)
        let picture = try coded(truth, exif: [])
        try put(try encoded(picture, quality: 88), "/street-truth" + ending)
        say("street-truth\(ending)")
    }

    /// Preview frames are 480 pixels wide (less where the frames are), 1/30 s at the ISO that auto exposure wants,
    /// and 2 x 2 photosites a sample (phones bin or skip the rest).
    private func preview(_ camera: Camera) throws(NightfuseError) {
        let width = min(480, options.width)
        let height = (width * options.height / options.width) & ~1
        for number in 0..<options.previews {
            let shot = Camera.Shot(start: Double(number) * previewPace, exposureSeconds: previewPace, iso: 6400)
            let light = try camera.light(shot, width: width, height: height, instants: 4)
            let name = "/street-preview/preview_\(twoDigits(number + 1))"
            try save(light, shot, name, seed: options.seed &+ UInt64(5000 + number), preview: true)
        }
    }

    private func save(
        _ light: [Plane<Float>], _ shot: Camera.Shot, _ name: String, seed: UInt64, preview: Bool = false
    ) throws(NightfuseError) {
        let mosaic = try sensor.expose(
            light, iso: shot.iso, binned: preview ? 4 : 1, seed: seed, workers: workers)
        let linear = try Developing(sensor: sensor).linear(mosaic, workers: workers)
        let exif = ExifBlock(exposureSeconds: shot.exposureSeconds, iso: shot.iso, time: shot.start)
        let picture = try coded(linear, exif: exif.bytes)
        let bytes = try encoded(picture, quality: preview ? min(options.quality, 80) : options.quality)
        try put(bytes, name + ending)
        say("\(name.dropFirst())\(ending)  \(bytes.count >> 10) KiB")
    }

    // MARK: Files

    private var ending: String { options.png ? ".png" : ".jpg" }

    private func coded(_ linear: [Plane<Float>], exif: [UInt8]) throws(NightfuseError) -> EncodedPicture {
        let maxCode = options.png ? 65535 : 255
        return EncodedPicture(planes: try Developing.coded(linear, maxCode: maxCode), maxCode: maxCode, exif: exif)
    }

    private func encoded(_ picture: EncodedPicture, quality: Int) throws(NightfuseError) -> [UInt8] {
        let sink = MemorySink()
        if options.png {
            try encodePNG(picture, bits: 16, to: sink)
        } else {
            try encodeJPEG(picture, quality: quality, to: sink)
        }
        return sink.bytes
    }

    private func put(_ bytes: [UInt8], _ name: String) throws(NightfuseError) {
        let output = try AtomicOutput(FilePath(options.folder + name), overwrite: true)
        try output.write(bytes)
        try output.commit()
    }

    private func makeFolder(_ path: String) throws(NightfuseError) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw .system(path, String(cString: strerror(errno)))
        }
    }

    private var deviceFile: [UInt8] {
        Array(
            """
            {
              "exposure_s": [0.000125, 1.0], "handheld_exposure_s": 0.333, "iso": [50, 6400],
              "max_frames": 15, "frame_gap_s": \(frameGap),
              "frame_width": \(options.width), "frame_height": \(options.height),
              "noise": { "shot_per_iso": \(sensor.shotPerISO), "read_electrons": \(sensor.readElectrons), \
            "read_floor": \(sensor.readFloor) }
            }

            """.utf8)
    }

    private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private func say(_ text: String) { print(text) }
}
