import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("Lossless JPEG")
struct LosslessJPEGTests {
    /// A smooth picture with noise and a few extremes, so that differences of all sizes occur.
    static func picture(_ frame: LosslessJPEG.Frame, seed: UInt64 = 1) -> [UInt16] {
        var random = SeededRandom(seed: seed)
        let full = (1 << frame.precision) - 1
        return (0..<frame.samples).map { i in
            if random.uniform() < 0.01 { return random.uniform() < 0.5 ? 0 : UInt16(full) }
            let slope = Double(i % frame.rowSamples) / Double(frame.rowSamples)
            return UInt16(min(max((slope * 0.8 + random.normal() * 0.02) * Double(full), 0), Double(full)))
        }
    }

    static func encode(
        _ samples: [UInt16], _ frame: LosslessJPEG.Frame, predictor: Int = 1, shift: Int = 0, restart: Int = 0
    ) throws -> [UInt8] {
        var encoder = LosslessJPEGEncoder(frame: frame)
        encoder.predictor = predictor
        encoder.pointTransform = shift
        encoder.restartRows = restart
        let stream = try samples.withRow { try encoder.encode($0, rowStride: frame.rowSamples) }
        return (0..<stream.width).map { stream[$0, 0] }
    }

    static func decode(_ bytes: [UInt8]) throws -> (frame: LosslessJPEG.Frame, samples: [UInt16]) {
        let (frame, plane) = try bytes.withUnsafeBytes { try LosslessJPEG.decode($0, name: "a.ljp") }
        return (frame, (0..<plane.height).flatMap { y in (0..<plane.width).map { plane[$0, y] } })
    }

    @Test("Every predictor and number of components", arguments: 1...7, 1...4)
    func predictors(predictor: Int, components: Int) throws {
        let frame = LosslessJPEG.Frame(precision: 14, width: 23, height: 17, components: components)
        let samples = Self.picture(frame)
        let decoded = try Self.decode(try Self.encode(samples, frame, predictor: predictor))
        #expect(decoded.frame == frame)
        #expect(decoded.samples == samples)
    }

    @Test("Every precision, with and without a point transform", arguments: 2...16, [0, 1])
    func precisions(precision: Int, shift: Int) throws {
        let frame = LosslessJPEG.Frame(precision: precision, width: 40, height: 9, components: 2)
        let samples = Self.picture(frame)
        let decoded = try Self.decode(try Self.encode(samples, frame, predictor: 4, shift: shift))
        #expect(decoded.samples == samples.map { ($0 >> shift) << shift })
    }

    @Test("Restart markers after every 1, 2 and 5 rows", arguments: [1, 2, 5], [1, 6])
    func restarts(rows: Int, predictor: Int) throws {
        let frame = LosslessJPEG.Frame(precision: 12, width: 15, height: 43, components: 2)
        let samples = Self.picture(frame)
        let stream = try Self.encode(samples, frame, predictor: predictor, restart: rows)
        #expect(try Self.decode(stream).samples == samples)
    }

    @Test("One row, one column, one pixel", arguments: [(1, 9), (9, 1), (1, 1)], 1...3)
    func thin(size: (Int, Int), components: Int) throws {
        let frame = LosslessJPEG.Frame(precision: 16, width: size.0, height: size.1, components: components)
        let samples = Self.picture(frame)
        #expect(try Self.decode(try Self.encode(samples, frame, predictor: 7)).samples == samples)
    }

    @Test("Codes longer than the look-up, and a difference of 32768")
    func longCodes() throws {
        // Bit length n occurs about 2^(16 - n) times: a code of length n + 1 for each, 16 for the rarest.
        var samples: [UInt16] = []
        var value: UInt16 = 0
        for length in 0...16 {
            let step = length == 0 ? 0 : UInt16(truncatingIfNeeded: 1 << (length - 1))
            for _ in 0..<(1 << (16 - length)) {
                value &+= step
                samples.append(value)
            }
        }
        let frame = LosslessJPEG.Frame(precision: 16, width: samples.count / 7, height: 7, components: 1)
        samples = Array(samples.prefix(frame.samples))
        #expect(try Self.decode(try Self.encode(samples, frame)).samples == samples)
    }

    @Test("A stream written by hand decodes to what T.81 says")
    func byHand() throws {
        // Codes: 0 -> 0 bits, 10 -> 1 bit, 110 -> 16 bits (no extra). 4 bits, 3 x 2 pixels, predictor 2, starts at 8.
        let head: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xC4, 0, 22, 0, 1, 1, 1] + [UInt8](repeating: 0, count: 13) + [0, 1, 16]
        let frame: [UInt8] = [0xFF, 0xC3, 0, 11, 4, 0, 2, 0, 3, 1, 7, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 7, 0, 2, 0, 0]
        // +1, -1, 0 | +1, +1, 0: 101 100 0 101 101 0, filled with ones.
        let data: [UInt8] = [0b1011_0001, 0b0110_1011]
        let decoded = try Self.decode(head + frame + data + [0xFF, 0xD9])
        #expect(decoded.samples == [9, 8, 8, 10, 9, 8])
    }

    @Test("Components in scans of their own, each with its table")
    func scans() throws {
        let frame = LosslessJPEG.Frame(precision: 10, width: 21, height: 6, components: 1)
        let first = Self.picture(frame, seed: 3)
        let second = Self.picture(frame, seed: 4)
        func part(_ stream: [UInt8], _ component: UInt8) throws -> (table: [UInt8], scan: [UInt8]) {
            // SOI, DHT, SOF3 (13 bytes), SOS (10 bytes), data, EOI.
            let tableLength = Int(stream[4]) << 8 | Int(stream[5])
            let scanStart = 4 + tableLength + 13
            var scan = Array(stream[scanStart..<stream.count - 2])
            scan[5] = component
            return (Array(stream[2..<4 + tableLength]), scan)
        }
        let a = try part(try Self.encode(first, frame, predictor: 5), 0)
        let b = try part(try Self.encode(second, frame, predictor: 1), 1)
        let header: [UInt8] = [0xFF, 0xC3, 0, 14, 10, 0, 6, 0, 21, 2, 0, 0x11, 0, 1, 0x11, 0]
        let stream = [0xFF, 0xD8] + header + a.table + a.scan + b.table + b.scan + [0xFF, 0xD9]
        #expect(try Self.decode(stream).samples == zip(first, second).flatMap { [$0, $1] })
        let half = [0xFF, 0xD8] + header + a.table + a.scan + [0xFF, 0xD9]
        #expect(throws: NightfuseError.self) { try Self.decode(half) }
    }

    @Test("Every cut is an error or the whole picture, and the message names the file")
    func cuts() throws {
        let frame = LosslessJPEG.Frame(precision: 12, width: 9, height: 8, components: 2)
        let samples = Self.picture(frame)
        let stream = try Self.encode(samples, frame, restart: 3)
        for length in 0..<stream.count {
            do {
                // Only the end marker may be missing, and what filled the last byte.
                #expect(try Self.decode(Array(stream.prefix(length))).samples == samples)
                #expect(length >= stream.count - 2)
            } catch let error as NightfuseError {
                #expect(error.description.hasPrefix("a.ljp: "))
            }
        }
    }

    @Test("Every change of a byte is an error or a picture of the size it claims")
    func changes() throws {
        let frame = LosslessJPEG.Frame(precision: 16, width: 7, height: 5, components: 1)
        let stream = try Self.encode(Self.picture(frame), frame, predictor: 4)
        for at in stream.indices {
            for value: UInt8 in [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF, stream[at] ^ 1, stream[at] ^ 16] {
                var changed = stream
                changed[at] = value
                do {
                    let decoded = try Self.decode(changed)
                    #expect(decoded.samples.count == decoded.frame.samples)
                } catch is NightfuseError {}
            }
        }
    }

    @Test("A size far beyond the data is refused before memory is asked for")
    func absurdSize() throws {
        let frame = LosslessJPEG.Frame(precision: 8, width: 4, height: 4, components: 1)
        var stream = try Self.encode(Self.picture(frame), frame)
        let header = try #require((0..<stream.count).first { stream[$0] == 0xFF && stream[$0 + 1] == 0xC3 })
        stream.replaceSubrange(header + 5..<header + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let error = #expect(throws: NightfuseError.self) { try Self.decode(stream) }
        #expect(error?.description.contains("ends early") == true)
    }

    @Test(
        "Other kinds of JPEG are refused by name",
        arguments: [(UInt8(0xC0), "lossy"), (0xC2, "lossy"), (0xC7, "SOF7"), (0xCB, "SOF11")])
    func otherKinds(marker: UInt8, word: String) throws {
        let frame = LosslessJPEG.Frame(precision: 8, width: 4, height: 4, components: 1)
        var stream = try Self.encode(Self.picture(frame), frame)
        let header = try #require((0..<stream.count).first { stream[$0] == 0xFF && stream[$0 + 1] == 0xC3 })
        stream[header + 1] = marker
        let error = #expect(throws: NightfuseError.self) { try Self.decode(stream) }
        guard case .unsupported("a.ljp", let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(word))
    }
}
