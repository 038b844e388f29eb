/// A raw frame: the sensor's numbers and what is needed to make a picture of them.
public final class RawFrame: Sendable {
    /// What the samples are.
    public enum Layout: Equatable, Sendable {
        /// One sample a pixel through a 2 x 2 colour filter: the colour (0 red, 1 green, 2 blue) at
        /// (row 0, column 0), (0, 1), (1, 0), (1, 1) of the active area.
        case mosaic([UInt8])
        /// Three samples a pixel.
        case linear
    }

    /// Colour of the camera under one light.
    public struct Calibration: Equatable, Sendable {
        /// EXIF light source code (17 = A, 21 = D65, ...).
        public var illuminant: Int
        /// XYZ to camera (DNG ColorMatrix x AnalogBalance and CameraCalibration applied), 3 x 3.
        public var colourMatrix: Matrix3
        /// White-balanced camera to XYZ D50 (DNG ForwardMatrix), where the file has one.
        public var forwardMatrix: Matrix3?

        /// Colour under one light.
        public init(illuminant: Int, colourMatrix: Matrix3, forwardMatrix: Matrix3? = nil) {
            (self.illuminant, self.colourMatrix, self.forwardMatrix) = (illuminant, colourMatrix, forwardMatrix)
        }
    }

    /// Gains over the picture (DNG opcode GainMap), applied after black and white levels.
    public struct GainMap: Equatable, Sendable {
        /// Active-area rectangle the map acts on and the pitches at which it does, in pixels.
        public var top = 0, left = 0, bottom = 0, right = 0, rowPitch = 1, columnPitch = 1
        /// First plane and number of planes acted on (mosaics have one plane).
        public var plane = 0, planes = 1
        /// Whether the planes are the colours (red, green, blue) of a mosaic as demosaiced (DNG OpcodeList3), not its
        /// one plane as stored.
        public var byColour = false
        /// Grid of gains: points, spacing and origin in units of the picture's height and width.
        public var rows = 1, columns = 1
        public var spacingV = 1.0, spacingH = 1.0, originV = 0.0, originH = 0.0
        /// Planes in the grid, and its gains: row, column, then plane.
        public var mapPlanes = 1
        /// Gains of the grid: row, column, then plane.
        public var gains: [Float] = [1]
        /// A gain of 1 everywhere.
        public init() {}
    }

    /// The active area's samples as stored after LinearizationTable; one plane (mosaic) or three (linear).
    public let planes: [Plane<UInt16>]
    /// What the samples are.
    public let layout: Layout
    /// Black level for each cell of a `blackRows` x `blackColumns` pattern (row by row, for mosaics; per plane last).
    public let black: [Double]
    /// Rows of the pattern of black levels.
    public let blackRows: Int
    /// Columns of the pattern of black levels.
    public let blackColumns: Int
    /// White level (saturation), one a plane.
    public let white: [Double]
    /// Camera neutral: the raw RGB of a white object, largest 1. Nil where the file does not say.
    public let neutral: [Double]?
    /// One or two calibrations; empty where the file has none.
    public let calibrations: [Calibration]
    /// Stops to add when developing (DNG BaselineExposure).
    public let baselineExposure: Double
    /// Noise of the linear signal (black 0, white 1): one entry for all colours, or one for each of R, G, B. Empty: unknown.
    public let noise: [NoiseModel]
    /// Gains over the picture, in the order they are applied.
    public let gainMaps: [GainMap]
    /// Known bad pixels (x, y) of the active area.
    public let badPixels: [(x: Int, y: Int)]
    /// DefaultCrop in the active area: left, top, width, height.
    public let crop: (x: Int, y: Int, width: Int, height: Int)
    /// How the frame was taken.
    public let info: CaptureInfo
    /// The frame's name, for messages and reports.
    public let name: String
    /// Bits a sample as stored, and the compression by name, for `inspect`.
    public let bits: Int
    /// How the samples were compressed, by name.
    public let compression: String
    /// Things skipped or assumed, a sentence each.
    public let notes: [String]
    /// Entries of the file that a merged raw file takes over.
    public let carried: CarriedTags

    /// A raw frame of these parts; see the properties for what they must be.
    public init(
        planes: [Plane<UInt16>], layout: Layout, black: [Double], blackRows: Int, blackColumns: Int, white: [Double],
        neutral: [Double]?, calibrations: [Calibration], baselineExposure: Double, noise: [NoiseModel],
        gainMaps: [GainMap], badPixels: [(x: Int, y: Int)], crop: (x: Int, y: Int, width: Int, height: Int),
        info: CaptureInfo, name: String, bits: Int, compression: String, notes: [String],
        carried: CarriedTags = CarriedTags()
    ) {
        self.planes = planes
        self.layout = layout
        self.black = black
        self.blackRows = blackRows
        self.blackColumns = blackColumns
        self.white = white
        self.neutral = neutral
        self.calibrations = calibrations
        self.baselineExposure = baselineExposure
        self.noise = noise
        self.gainMaps = gainMaps
        self.badPixels = badPixels
        self.crop = crop
        self.info = info
        self.name = name
        self.bits = bits
        self.compression = compression
        self.notes = notes
        self.carried = carried
    }

    /// Width of the active area, in pixels.
    public var width: Int { planes[0].width }
    /// Height of the active area, in pixels.
    public var height: Int { planes[0].height }
}
