import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

/// Rows resampled in runs of eight against the plain double sum at every pixel's own position.
@Suite("Warped rows")
struct WarpRowTests {
    /// A slow motion, as of a camera: start, step along the row, rise along the row.
    struct Path: Sendable, CustomTestStringConvertible {
        var x, y, step, rise: Double
        var testDescription: String { "from (\(x), \(y)) by (\(step), \(rise))" }
    }

    static let width = 64
    static let paths: [Path] = [
        .init(x: 0.3, y: 12.4, step: 1, rise: 0), .init(x: -0.45, y: 12.999, step: 1.002, rise: 0.004),
        .init(x: 1.99, y: 11.03, step: 0.998, rise: -0.006), .init(x: -5, y: 12, step: 1, rise: 0),
        .init(x: 3, y: -3, step: 1.001, rise: 0.2), .init(x: 0, y: 12.5, step: 1.08, rise: 0.01),
        .init(x: 70, y: 30, step: -1, rise: 0), .init(x: 0, y: 22.9, step: 1, rise: 0.0008),
    ]

    /// Smooth pictures: what a lens gives. Three of them, padded by eight.
    private func source(_ channel: Int, _ x: Int, _ y: Int) -> Float {
        let (u, v) = (Double(min(max(x, 0), Self.width - 1)), Double(min(max(y, 0), 23)))
        return Float(0.4 + 0.003 * u + 0.01 * v + 0.0007 * u * Double(channel) + 0.002 * v * v)
    }

    @Test(arguments: paths, [64, 61, 8, 3])
    func runsAgreeWithSinglePixels(path: Path, count: Int) throws {
        let (width, height, pad) = (Self.width, 24, 8)
        let stride = width + 2 * pad
        var planes = [[Float]]()
        for c in 0..<3 {
            planes.append(
                (0..<(height + 2 * pad) * stride).map { source(c, $0 % stride - pad, $0 / stride - pad) })
        }
        let nodeCount = (count + 7) / 8 * 2 + 2
        let xs = (0..<nodeCount).map { Float(path.x + path.step * Double(4 * $0)) }
        let ys = (0..<nodeCount).map { Float(path.y + path.rise * Double(4 * $0)) }
        let kernel = WarpKernel.lanczos(lobes: 3)
        let results = try Plane<Float>(width: count + 1, height: 4)
        results.fill(PaintedPlane.mark)
        let memory = planes.map { plane in
            let room = Floats(plane.count)
            for (i, value) in plane.enumerated() { room.base[i] = value }
            return room
        }
        let rows = memory.map { Row($0.base) }
        xs.withRow { px in
            ys.withRow { py in
                warpRow(
                    WarpSource(
                        red: rows[0] + pad, green: rows[1] + pad, blue: rows[2] + pad, stride: stride, firstRow: -pad),
                    kernel: kernel, nodes: (px, py), count: count, size: (width, height),
                    into: (results.mutableRow(0), results.mutableRow(1), results.mutableRow(2)),
                    inside: results.mutableRow(3))
            }
        }
        withExtendedLifetime(memory) {}
        let out = (0..<4).map { row in (0...count).map { results[$0, row] } }
        for i in 0..<count {
            let (x, y) = (path.x + path.step * Double(i), path.y + path.rise * Double(i))
            let isInside = x > -0.5 && x < Double(width) - 0.5 && y > -0.5 && y < Double(height) - 0.5
            #expect((out[3][i] == 1) == isInside)
            let (cx, cy) = (min(max(x, -1), Double(width)), min(max(y, -1), Double(height)))
            for c in 0..<3 {
                let truth = plain(kernel.kernel, cx, cy) { source(c, $0, $1) }
                #expect(abs(Double(out[c][i]) - truth) < 0.004, "channel \(c), pixel \(i)")
            }
        }
        for row in out { #expect(row[count] == PaintedPlane.mark) }
    }

    private func plain(_ kernel: InterpolationKernel, _ x: Double, _ y: Double, _ at: (Int, Int) -> Float) -> Double {
        let (fx, fy) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let wx = kernel.weights[min(Int((x - Double(fx)) * 256), 255)]
        let wy = kernel.weights[min(Int((y - Double(fy)) * 256), 255)]
        var sum = 0.0
        for t in 0..<8 { for s in 0..<8 { sum += Double(wy[t] * wx[s]) * Double(at(fx + s - 3, fy + t - 3)) } }
        return sum
    }

    @Test(arguments: paths, [64, 61, 8, 3])
    func bilinearRunsAgreeWithSinglePixels(path: Path, count: Int) throws {
        let plane = try Plane<Float>(width: Self.width, height: 24)
        for y in 0..<24 { for x in 0..<Self.width { plane[x, y] = source(1, x, y) } }
        let nodeCount = (count + 7) / 8 * 2 + 2
        let xs = (0..<nodeCount).map { Float(path.x + path.step * Double(4 * $0)) }
        let ys = (0..<nodeCount).map { Float(path.y + path.rise * Double(4 * $0)) }
        let px = (0..<count).map { Float(path.x + path.step * Double($0)) }
        let py = (0..<count).map { Float(path.y + path.rise * Double($0)) }
        var (runs, single) = (
            [Float](repeating: PaintedPlane.mark, count: count + 1), [Float](repeating: 0, count: count)
        )
        xs.withRow { ax in
            ys.withRow { ay in
                runs.withMutableRow { sampleBilinear(plane, nodes: (ax, ay), count: count, into: $0) }
            }
        }
        px.withRow { px in
            py.withRow { py in
                single.withMutableRow { single in
                    sampleBilinear(plane, xs: px, ys: py, count: count, into: single)
                }
            }
        }
        for i in 0..<count { #expect(abs(runs[i] - single[i]) < 1e-3, "pixel \(i)") }
        #expect(runs[count] == PaintedPlane.mark)
    }
}
