// What the loops are told: places and sizes. The loops are built once for each instruction level, each time as a module of
// its own; what they are called with is here, so that it is one type for all.

/// Three planes to resample a row from, and where the results go; see `warpRow` of the kernels.
package struct WarpArguments {
    package typealias Input = Row<Float>
    package typealias Output = MutableRow<Float>
    /// Sample (0, `firstRow`) of every plane.
    package var red, green, blue: Input
    package var stride, firstRow: Int
    /// Rows of eight weights: phases -1/16 to 1 + 1/16, and 0 to 1, 256 a sample.
    package var runWeights, pixelWeights: Row<SIMD8<Float>>
    /// Positions of every fourth pixel.
    package var nodesX, nodesY: Input
    package var count: Int
    /// Half a pixel beyond the last column and row.
    package var limitX, limitY: Float
    package var outputs: (Output, Output, Output)
    package var inside: Output

    package init(
        red: Input, green: Input, blue: Input, stride: Int, firstRow: Int,
        runWeights: Row<SIMD8<Float>>, pixelWeights: Row<SIMD8<Float>>, nodesX: Input,
        nodesY: Input, count: Int, limitX: Float, limitY: Float, outputs: (Output, Output, Output), inside: Output
    ) {
        (self.red, self.green, self.blue, self.stride, self.firstRow) = (red, green, blue, stride, firstRow)
        (self.runWeights, self.pixelWeights) = (runWeights, pixelWeights)
        (self.nodesX, self.nodesY, self.count) = (nodesX, nodesY, count)
        (self.limitX, self.limitY, self.outputs, self.inside) = (limitX, limitY, outputs, inside)
    }
}

/// A pass of the patch filter over a rectangle of starts; see `CollaborativeFilter`.
package struct PatchArguments {
    package typealias Input = Row<Float>
    package typealias Output = MutableRow<Float>
    /// Planes of one size and stride, in samples.
    package var width, height, stride: Int
    package var noisy: (Input, Input, Input)
    package var pilot: (Input, Input, Input)?
    package var guide, variance: Input
    package var guideNoise: Float
    package var sums: (Output, Output, Output)
    package var weights: Output
    package var rows, columns: Range<Int>
    package var step, radius, group: Int
    package var cut, similarity: Float
    /// 24 vectors: for each channel, by horizontal frequency, lanes by vertical frequency.
    package var spectrum: Row<SIMD8<Float>>
    /// Eight rows of the window.
    package var window: Row<SIMD8<Float>>

    package init(
        width: Int, height: Int, stride: Int, noisy: (Input, Input, Input), pilot: (Input, Input, Input)?,
        guide: Input, variance: Input, guideNoise: Float, sums: (Output, Output, Output), weights: Output,
        rows: Range<Int>, columns: Range<Int>, step: Int, radius: Int, group: Int, cut: Float, similarity: Float,
        spectrum: Row<SIMD8<Float>>, window: Row<SIMD8<Float>>
    ) {
        (self.width, self.height, self.stride) = (width, height, stride)
        (self.noisy, self.pilot, self.guide, self.variance) = (noisy, pilot, guide, variance)
        (self.guideNoise, self.sums, self.weights) = (guideNoise, sums, weights)
        (self.rows, self.columns, self.step, self.radius, self.group) = (rows, columns, step, radius, group)
        (self.cut, self.similarity, self.spectrum, self.window) = (cut, similarity, spectrum, window)
    }
}

/// A table of variances at even steps of the mean from 0 to `reach`, and the line beyond; see `VarianceCurve`.
package struct CurveArguments {
    package var table: Row<Float>
    package var count: Int
    package var reach, shot, readSquared: Float
    package init(table: Row<Float>, count: Int, reach: Float, shot: Float, readSquared: Float) {
        (self.table, self.count, self.reach) = (table, count, reach)
        (self.shot, self.readSquared) = (shot, readSquared)
    }
}

/// A variance-stabilising curve; see `Stabiliser`.
package struct StabiliserArguments {
    /// Values at even steps of the root of the mean above `floor`; `last` is the last but one.
    package var table: Row<Float>
    package var last: Int
    package var floor, ceiling, scale, slopeBelow, slopeAbove: Float
    package init(
        table: Row<Float>, last: Int, floor: Float, ceiling: Float, scale: Float, slopeBelow: Float,
        slopeAbove: Float
    ) {
        (self.table, self.last, self.floor, self.ceiling) = (table, last, floor, ceiling)
        (self.scale, self.slopeBelow, self.slopeAbove) = (scale, slopeBelow, slopeAbove)
    }
}

/// A transfer curve over the bits of a Float; see `TransferTable`.
package struct TransferArguments {
    package var points: Row<Float>
    /// The first point's light, and the mantissa's bits between two points.
    package var lowest: Float
    package var shift: UInt32
    package var dithers: Bool
    package init(points: Row<Float>, lowest: Float, shift: UInt32, dithers: Bool) {
        (self.points, self.lowest, self.shift, self.dithers) = (points, lowest, shift, dithers)
    }
}

/// A row of blocks of 2 x 2 pixels that is merged, and the weights it is added to; see `addBlockWeights` of the kernels.
package struct BlockWeightArguments {
    package typealias Input = Row<Float>
    package typealias Output = MutableRow<Float>
    /// One value a block, overwritten.
    package var trust, ratio: Output
    /// Both rows of pixels: 1 inside of the frame, 0 outside.
    package var inside: (Input, Input)
    package var weight, weight2: Output
    package var other: Output?
    /// In pixels.
    package var width: Int
    package init(
        trust: Output, ratio: Output, inside: (Input, Input), weight: Output, weight2: Output, other: Output?,
        width: Int
    ) {
        (self.trust, self.ratio, self.inside) = (trust, ratio, inside)
        (self.weight, self.weight2, self.other, self.width) = (weight, weight2, other, width)
    }
}

/// Sums over a window of products of slopes along x and y, and of slopes and errors.
package struct TileSystem {
    package var xx: Float = 0
    package var xy: Float = 0
    package var yy: Float = 0
    package var ex: Float = 0
    package var ey: Float = 0
    package init() {}
}

/// A window of the tile search, in two pictures of one size; see `tileCost` of the kernels.
package struct TileArguments {
    package var image, warped: Row<Float>
    package var imageStride, warpedStride: Int
    package var warpedWidth, warpedHeight: Int
    package var x0, y0, x1, y1: Int
    package init(
        image: Row<Float>, imageStride: Int, warped: Row<Float>, warpedStride: Int,
        warpedWidth: Int, warpedHeight: Int, x0: Int, y0: Int, x1: Int, y1: Int
    ) {
        (self.image, self.imageStride, self.warped, self.warpedStride) = (image, imageStride, warped, warpedStride)
        (self.warpedWidth, self.warpedHeight) = (warpedWidth, warpedHeight)
        (self.x0, self.y0, self.x1, self.y1) = (x0, y0, x1, y1)
    }
}

/// Light of the codes of developed raw frames: u = code x step + first, light = read u + bend max(u, 0)^2. Noise of variance
/// 4 bend x light + read^2 has a standard deviation of 1 in u.
package struct LightCurve: Equatable, Sendable {
    package var step, first, read, bend: Float
    package init(step: Float, first: Float, read: Float, bend: Float) {
        (self.step, self.first, self.read, self.bend) = (step, first, read, bend)
    }

    /// Light of one code.
    @inlinable @inline(__always)
    package func light(_ code: UInt16) -> Float {
        let u = Float(code) * step + first
        let above = max(u, 0)
        return above * above * bend + u * read
    }
}

/// A row of a Bayer mosaic and the two to either side of it; see `demosaicRow` of the kernels.
package struct MosaicArguments {
    package typealias Input = Row<Float>
    package typealias Output = MutableRow<Float>
    package typealias Codes = MutableRow<UInt16>
    package var rows: (Input, Input, Input, Input, Input)
    /// Column parity of the colour beside green.
    package var parity: Int
    package var count: Int
    package init(rows: (Input, Input, Input, Input, Input), parity: Int, count: Int) {
        (self.rows, self.parity, self.count) = (rows, parity, count)
    }
}

/// A stretch of a mosaic's row, held against the rows around it; see `rowStretch` of the kernels. Pairs are of even and odd
/// columns.
package struct RowStretchArguments {
    package typealias Input = Row<Float>
    /// Samples of a stretch.
    package static let length = 32
    package var up2, up, row, down, down2: Input
    package var width: Int
    /// First column: even.
    package var start = 0
    /// Noise, read noise squared; what a sample is multiplied by to be sensor light; 1 for green.
    package var shot, read, gain, isGreen: (Float, Float)
    /// Light from which samples may be saturated.
    package var clip: Float
    package init(
        rows: (Input, Input, Input, Input, Input), width: Int, shot: (Float, Float), read: (Float, Float),
        gain: (Float, Float), isGreen: (Float, Float), clip: Float
    ) {
        (up2, up, row, down, down2) = rows
        self.width = width
        (self.shot, self.read, self.gain, self.isGreen, self.clip) = (shot, read, gain, isGreen, clip)
    }
}

/// Sums of a stretch: differences weighted, and the weights.
package struct RowStretchSums {
    package var same, sameTotal, beside, besideTotal: Float
    package init(same: Float, sameTotal: Float, beside: Float, besideTotal: Float) {
        (self.same, self.sameTotal, self.beside, self.besideTotal) = (same, sameTotal, beside, besideTotal)
    }
}

/// What a row of positions by a homography is worked out from: numerators and denominator at the first sample, and from one
/// to the next.
@frozen
public struct ProjectionArguments {
    package var first, step: (x: Double, y: Double, w: Double)
    /// Positions are the quotients times this, plus an offset.
    package var scale: Double
    package var offset: (x: Double, y: Double)

    package init(
        first: (x: Double, y: Double, w: Double), step: (x: Double, y: Double, w: Double), scale: Double,
        offset: (x: Double, y: Double)
    ) {
        (self.first, self.step, self.scale, self.offset) = (first, step, scale, offset)
    }
}
