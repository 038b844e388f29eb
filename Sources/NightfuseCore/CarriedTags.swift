/// Entries of a raw file's directories that a merged file takes over as they are: colour, crop, opcodes, EXIF,
/// camera, XMP, GPS. What describes the samples themselves (size, levels, noise, tiles) is not among them.
public struct CarriedTags: Equatable, Sendable {
    /// One entry: its tag number, TIFF type, count of values, and the values' bytes in `bigEndian` order.
    public struct Entry: Equatable, Sendable {
        /// TIFF tag number.
        public var tag: UInt16
        /// TIFF type.
        public var type: UInt16
        /// Number of values.
        public var count: Int
        /// The values.
        public var bytes: [UInt8]

        /// An entry of these parts.
        public init(tag: UInt16, type: UInt16, count: Int, bytes: [UInt8]) {
            (self.tag, self.type, self.count, self.bytes) = (tag, type, count, bytes)
        }
    }

    /// Byte order of every entry. A file made of them keeps it, because some entries hold numbers in bytes of no
    /// declared type that only their readers could swap.
    public var bigEndian = false
    /// Entries of the first directory.
    public var main: [Entry] = []
    /// Entries of the directory that holds the raw samples, where it is not the first.
    public var raw: [Entry] = []
    /// Entries of the EXIF directory.
    public var exif: [Entry] = []
    /// Entries of the GPS directory.
    public var gps: [Entry] = []

    /// No entries.
    public init() {}

    /// Forgets where the picture was taken: the GPS directory, and an XMP packet that names a GPS position.
    public mutating func removeLocation() {
        gps = []
        let xmp: UInt16 = 700
        main.removeAll { $0.tag == xmp && Self.namesGPS($0.bytes) }
        raw.removeAll { $0.tag == xmp && Self.namesGPS($0.bytes) }
    }

    private static func namesGPS(_ bytes: [UInt8]) -> Bool {
        let word = Array("GPS".utf8)
        guard bytes.count >= word.count else { return false }
        return (0...bytes.count - word.count).contains { bytes[$0..<$0 + word.count].elementsEqual(word) }
    }
}
