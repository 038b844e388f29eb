import FuzzSupport
import NightfuseCore
import NightfuseKernels

/// Kernels on rows and planes made of the input, held against plain references in double. Two bytes of size, one that
/// chooses the kernel, then samples, over and over.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKernels(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard count > 3 else { return -1 }
    let input = UnsafeBufferPointer(start: bytes, count: count)
    let samples = Samples(bytes: Array(input[3...]))
    let (width, height) = (Int(input[0]) % 67 + 1, Int(input[1]) % 9 + 1)
    do throws(NightfuseError) {
        switch input[2] % 6 {
        case 0: try checkPyramid(try samples.plane(width, height))
        case 1: checkMoments(samples, width)
        case 2: checkDemosaic(samples, width, choice: Int(input[2]) / 6)
        case 3: checkSpots(samples, width)
        case 4: checkCodes(samples, width)
        default: try checkLook(samples, width)
        }
    } catch { preconditionFailure("\(error)") }
    return 0
}

/// Numbers between -1 and 1 out of bytes, some of them exactly 0, 1 or tiny.
struct Samples {
    let bytes: [UInt8]

    subscript(i: Int) -> Float {
        let byte = bytes[i % bytes.count]
        switch byte {
        case 0: return 0
        case 1: return 1
        case 2: return Float.leastNonzeroMagnitude
        case 3: return -1
        default: return (Float(byte) - 127.5) / 127.5
        }
    }

    func row(_ count: Int, from: Int = 0) -> [Float] { (0..<count).map { self[from + $0] } }

    func plane(_ width: Int, _ height: Int, from: Int = 0) throws(NightfuseError) -> Plane<Float> {
        let plane = try Plane<Float>(width: width, height: height)
        for y in 0..<height { for x in 0..<width { plane[x, y] = self[from + y * width + x] } }
        return plane
    }
}

func expect(_ value: Float, _ reference: Double, within limit: Double, _ what: String) {
    precondition(abs(Double(value) - reference) <= limit, "\(what): \(value), not \(reference)")
}

private func checkPyramid(_ input: Plane<Float>) throws(NightfuseError) {
    let (w, h) = (input.width, input.height)
    let workers = Workers(threads: 2)
    func sum(_ x: Int, _ y: Int, _ taps: [Double], start: Int) -> Double {
        var sum = 0.0
        for (j, b) in taps.enumerated() {
            for (i, a) in taps.enumerated() {
                sum += a * b * Double(input[min(max(x + i - start, 0), w - 1), min(max(y + j - start, 0), h - 1)])
            }
        }
        return sum
    }
    let half = try Plane<Float>(width: (w + 1) / 2, height: (h + 1) / 2)
    try downsampleBinomial(input, into: half, workers: workers)
    let smooth = try Plane<Float>(width: w, height: h)
    try smoothBinomial(input, into: smooth, workers: workers)
    let (gx, gy) = (try Plane<Float>(width: w, height: h), try Plane<Float>(width: w, height: h))
    try gradients(input, x: gx, y: gy, workers: workers)
    for y in 0..<h {
        for x in 0..<w {
            expect(smooth[x, y], sum(x, y, [0.25, 0.5, 0.25], start: 1), within: 1e-6, "smooth")
            let (left, right) = (input[max(x - 1, 0), y], input[min(x + 1, w - 1), y])
            let (above, below) = (input[x, max(y - 1, 0)], input[x, min(y + 1, h - 1)])
            expect(gx[x, y], (Double(right) - Double(left)) / 2, within: 1e-6, "slope along x")
            expect(gy[x, y], (Double(below) - Double(above)) / 2, within: 1e-6, "slope along y")
            if x < half.width, y < half.height {
                expect(
                    half[x, y], sum(2 * x, 2 * y, [0.125, 0.375, 0.375, 0.125], start: 1), within: 1e-6, "half")
            }
        }
    }
}

private func checkMoments(_ samples: Samples, _ count: Int) {
    let (gx, gy, e) = (samples.row(count), samples.row(count, from: 7), samples.row(count, from: 19))
    let (w, x) = (samples.row(count, from: 31).map { abs($0) }, samples.row(count, from: 43))
    let moments = (gx + gy + e + w + x).withRow {
        rowMoments(
            gx: $0, gy: $0 + count, error: $0 + 2 * count, weight: $0 + 3 * count, position: $0 + 4 * count,
            count: count)
    }
    var expected = [Double](repeating: 0, count: 21)
    for i in 0..<count {
        let (a, b, d, p) = (Double(gx[i]), Double(gy[i]), Double(e[i]), Double(x[i]))
        var power = Double(w[i])
        for k in 0..<5 {
            expected[k] += a * a * power
            expected[5 + k] += a * b * power
            expected[10 + k] += b * b * power
            if k < 3 {
                expected[15 + k] += a * d * power
                expected[18 + k] += b * d * power
            }
            power *= p
        }
    }
    for (value, reference) in zip(moments, expected) {
        precondition(abs(value - reference) < 2e-5, "moments: \(value), not \(reference)")
    }
}

private func checkCodes(_ samples: Samples, _ count: Int) {
    let values = samples.row(count)
    var codes = [UInt16](repeating: 0, count: count)
    values.withRow { values in
        codes.withMutableRow { quantiseRow(values, count: count, scale: 65535, offset: 0.25, into: $0) }
    }
    for x in 0..<count {
        let exact = min(max(Double(values[x]) * 65535 + 0.25, 0), 65535)
        precondition(abs(Double(codes[x]) - exact) <= 0.51, "code \(codes[x]) of \(values[x])")
    }
    for (curve, maxCode) in [(TransferFunction.sRGB, 255), (.gamma(2.2), 65535)] {
        let table = TransferTable(curve, maxCode: maxCode)
        values.withRow { values in
            codes.withMutableRow { table.encode(values, into: $0, count: count, row: 0, dither: false) }
        }
        for x in 0..<count {
            let exact = curve.coded(min(max(Double(values[x]), 0), 1)) * Double(maxCode)
            // A tenth of a code is the table's promise, half a code the rounding's.
            precondition(abs(Double(codes[x]) - exact) <= 0.61, "code \(codes[x]) of \(values[x])")
        }
    }
}
