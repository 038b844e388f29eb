internal import NightfuseCore

/// Two pictures side by side: above, all of each at half size; below, the same detail of each at full size.
struct Sheet {
    let planes: [Plane<UInt16>]
    private static let gap = 8

    init(before: Picture, after: Picture, detailX: Double, detailY: Double) throws(NightfuseError) {
        guard before.width == after.width, before.height == after.height, !before.isGrey, !after.isGrey else {
            throw .argument("\(before.name) and \(after.name): two colour pictures of one size are wanted")
        }
        let (width, height) = (before.width / 2, before.height / 2)
        let detailHeight = height * 3 / 4
        let left = Self.start(detailX, width, before.width), top = Self.start(detailY, detailHeight, before.height)
        var planes: [Plane<UInt16>] = []
        for channel in 0..<3 {
            let sheet = try Plane<UInt16>(width: 2 * width + Self.gap, height: height + Self.gap + detailHeight)
            sheet.fill(255)
            for (number, picture) in [before, after].enumerated() {
                let from = picture.planes[channel], x0 = number * (width + Self.gap)
                for y in 0..<height {
                    let (a, b, to) = (from.row(2 * y), from.row(2 * y + 1), sheet.mutableRow(y) + x0)
                    // The mean of the codes: what a viewer shows that fits a picture into its window.
                    for x in 0..<width {
                        let sum = Int(a[2 * x]) + Int(a[2 * x + 1]) + Int(b[2 * x]) + Int(b[2 * x + 1])
                        to[x] = UInt16((sum * 255 + 2 * picture.maxCode) / (4 * picture.maxCode))
                    }
                }
                for y in 0..<detailHeight {
                    let (source, to) = (from.row(top + y) + left, sheet.mutableRow(height + Self.gap + y) + x0)
                    for x in 0..<width {
                        to[x] = UInt16((Int(source[x]) * 255 + picture.maxCode / 2) / picture.maxCode)
                    }
                }
            }
            planes.append(sheet)
        }
        self.planes = planes
    }

    /// First sample of a stretch of `length` whose middle is at `share` of `whole`, kept inside.
    private static func start(_ share: Double, _ length: Int, _ whole: Int) -> Int {
        min(max(Int(min(max(share, 0), 1) * Double(whole)) - length / 2, 0), whole - length)
    }
}
