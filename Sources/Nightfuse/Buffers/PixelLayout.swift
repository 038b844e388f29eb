/// How the samples of a picture lie in a camera's buffer.
public enum PixelLayout: Equatable, Sendable {
    /// Three bytes a pixel, red first.
    case rgb8
    /// Four bytes a pixel, red first; the fourth is ignored when read and 255 when written.
    case rgba8
    /// Four bytes a pixel, blue first; the fourth is ignored when read and 255 when written.
    case bgra8
    /// Three 16-bit numbers of this machine's byte order a pixel, red first; full scale is 65535.
    case rgb16
    /// A plane of luma and one, half as wide and high (rounded up), of interleaved Cb and Cr; a byte a sample.
    case nv12(YCbCr)
    /// As ``nv12(_:)``, with Cr before Cb.
    case nv21(YCbCr)

    /// Bits of a sample: 8 or 16.
    public var bits: Int { self == .rgb16 ? 16 : 8 }

    /// What the numbers of luma and chroma mean, where there are such.
    public var coding: YCbCr? {
        switch self {
        case .nv12(let coding), .nv21(let coding): coding
        default: nil
        }
    }

    /// Bytes from one pixel of the first plane to the next.
    public var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .rgba8, .bgra8: 4
        case .rgb16: 6
        case .nv12, .nv21: 1
        }
    }

    /// Bytes of a row of `width` pixels of the first plane.
    func rowBytes(width: Int) -> Int { width * bytesPerPixel }

    /// Bytes of a row of the chroma plane beside `width` pixels.
    static func chromaRowBytes(width: Int) -> Int { (width + 1) / 2 * 2 }
}

/// What numbers of luma and chroma mean.
///
/// Full range is sited as JPEG has it (a chroma sample in the middle of its four pixels), video range as MPEG-2 and H.264
/// have it (level with the left two).
public struct YCbCr: Equatable, Sendable {
    /// Weights of red, green and blue in luma.
    public enum Matrix: CaseIterable, Sendable {
        /// ITU-R BT.601: 0.299, 0.587, 0.114.
        case bt601
        /// ITU-R BT.709: 0.2126, 0.7152, 0.0722.
        case bt709
    }

    /// Which codes black and white have.
    public enum Range: CaseIterable, Sendable {
        /// Luma and chroma 0 to 255.
        case full
        /// Luma 16 to 235, chroma 16 to 240.
        case video
    }

    /// Weights of red, green and blue in luma.
    public var matrix: Matrix
    /// Which codes black and white have.
    public var range: Range

    /// The coding of JPEG files and of most cameras' buffers, unless told otherwise.
    public init(matrix: Matrix = .bt601, range: Range = .full) { (self.matrix, self.range) = (matrix, range) }

    /// Luma's weights of red and blue.
    var weights: (red: Double, blue: Double) {
        switch matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        }
    }

    /// Code of black, and codes from black to white and from no colour to the most.
    var scale: (black: Double, luma: Double, chroma: Double) { range == .full ? (0, 255, 127.5) : (16, 219, 112) }
}
