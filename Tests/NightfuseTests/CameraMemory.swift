import Nightfuse

/// A buffer as a camera has it: rows longer than they need be, marked bytes around and between them.
final class CameraMemory {
    static let mark: UInt8 = 0xC3
    private static let margin = 32
    let width: Int
    let height: Int
    let layout: PixelLayout
    let stride: Int
    let chromaStride: Int
    private let memory: UnsafeMutableRawBufferPointer

    init(width: Int, height: Int, layout: PixelLayout, padding: Int = 14) {
        (self.width, self.height, self.layout) = (width, height, layout)
        stride = (width * layout.bytesPerPixel + padding) & ~1
        chromaStride = layout.coding == nil ? 0 : (width + 1) / 2 * 2 + padding
        memory = .allocate(
            byteCount: stride * height + chromaStride * ((height + 1) / 2) + 3 * Self.margin, alignment: 16)
        fill(Self.mark)
    }

    deinit { memory.deallocate() }

    func fill(_ byte: UInt8) { memory.initializeMemory(as: UInt8.self, repeating: byte) }

    private var pixels: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[Self.margin..<Self.margin + stride * height])
    }

    private var chroma: UnsafeMutableRawBufferPointer? {
        guard layout.coding != nil else { return nil }
        let start = 2 * Self.margin + stride * height
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + chromaStride * ((height + 1) / 2)])
    }

    var output: MutablePixelBuffer {
        MutablePixelBuffer(
            pixels, stride: stride, width: width, height: height, layout: layout, chroma: chroma,
            chromaStride: chromaStride)
    }

    subscript(x: Int, y: Int) -> UInt8 {
        get { pixels[y * stride + x] }
        set { pixels[y * stride + x] = newValue }
    }

    func setChroma(_ x: Int, _ y: Int, _ first: UInt8, _ second: UInt8) {
        chroma?[y * chromaStride + 2 * x] = first
        chroma?[y * chromaStride + 2 * x + 1] = second
    }

    /// Whether all bytes outside the rows still hold their mark.
    var marksStand: Bool {
        var used = Set<Int>()
        for y in 0..<height {
            for x in 0..<width * layout.bytesPerPixel { used.insert(Self.margin + y * stride + x) }
        }
        if layout.coding != nil {
            for y in 0..<(height + 1) / 2 {
                for x in 0..<(width + 1) / 2 * 2 {
                    used.insert(2 * Self.margin + stride * height + y * chromaStride + x)
                }
            }
        }
        return memory.indices.allSatisfy { used.contains($0) || memory[$0] == Self.mark }
    }
}
