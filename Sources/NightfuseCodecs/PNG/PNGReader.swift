internal import CCodecShims
internal import NightfuseCore

/// A PNG that libpng reads, from its header to its end.
///
/// Safe, though the shim takes pointers: its reader is closed once, when this ends; the file's bytes stay where they are
/// until then (`open`); and rows are read only into planes that hold them, of the samples it gives (`read`).
@safe
struct PNGReader: ~Copyable {
    /// What stands before the pixels.
    struct Header {
        let width, height: Int
        /// Planes that are given: 1 (grey) or 3.
        let channels: Int
        /// Bits of a sample in the file: 1, 2, 4, 8 or 16.
        let bits: Int
        /// Largest sample given: 255 or 65535.
        let maxCode: Int
        let isInterlaced: Bool
        /// Bytes of the decoded, unexpanded rows: what the compressed data must hold.
        let rawBytes: Int
        /// The profile; empty where there is none, or a broken one.
        let icc: [UInt8]
    }

    let header: Header
    private let reader: OpaquePointer
    private let name: String

    /// Calls `body` with the file `bytes`, which errors call `name`, read up to its pixels. Chunks of more than
    /// `metadataLimit` bytes are left out.
    static func open<Result>(
        _ bytes: [UInt8], name: String, metadataLimit: Int,
        _ body: (borrowing PNGReader) throws(NightfuseError) -> Result
    ) throws(NightfuseError) -> Result {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(NightfuseError) in
            try body(unsafe PNGReader(buffer, name: name, metadataLimit: metadataLimit))
        }
    }

    /// The bytes must stay where they are for as long as this is there.
    private init(_ bytes: UnsafeBufferPointer<UInt8>, name: String, metadataLimit: Int) throws(NightfuseError) {
        var found = unsafe nfk_png_header()
        var problem = nfk_problem()
        let opened = unsafe nfk_png_open(bytes.baseAddress, bytes.count, metadataLimit, &found, &problem)
        guard let reader = unsafe opened else { throw problem.error(name) }
        unsafe self.reader = reader
        self.name = name
        // The profile is the reader's, which is open.
        header = unsafe Header(
            width: Int(found.width), height: Int(found.height), channels: Int(found.channels), bits: Int(found.bits),
            maxCode: Int(found.max_code), isInterlaced: found.interlaced != 0, rawBytes: Int(found.raw_bytes),
            icc: Array(UnsafeBufferPointer(start: found.icc, count: found.icc_count)))
    }

    deinit { unsafe nfk_png_close(reader) }

    /// Reads the next rows of a file that is not interlaced.
    ///
    /// - Precondition: as many planes as the header says, as wide, of samples for its largest.
    func read<Sample: BitwiseCopyable & Sendable>(_ rows: PlaneRows<Sample>) throws(NightfuseError) {
        precondition(!header.isInterlaced)
        try unsafe fill(rows) { planes, problem in
            unsafe nfk_png_read(reader, planes, rows.stride, Int32(rows.count), &problem)
        }
    }

    /// Reads all rows of an interlaced file.
    ///
    /// - Precondition: as for ``read(_:)``, and as many rows as the header says.
    func readInterlaced<Sample: BitwiseCopyable & Sendable>(_ rows: PlaneRows<Sample>) throws(NightfuseError) {
        precondition(header.isInterlaced && rows.count == header.height)
        try unsafe fill(rows) { planes, problem in unsafe nfk_png_read_interlaced(reader, planes, rows.stride, &problem)
        }
    }

    private func fill<Sample: BitwiseCopyable & Sendable>(
        _ rows: PlaneRows<Sample>, _ read: (UnsafePointer<UnsafeMutableRawPointer?>, inout nfk_problem) -> Int32
    ) throws(NightfuseError) {
        precondition(rows.channels == header.channels && rows.width >= header.width)
        precondition(MemoryLayout<Sample>.size == (header.maxCode > 255 ? 2 : 1))
        var problem = nfk_problem()
        let status = unsafe rows.withMutablePointers { planes in
            // A pointer to samples is a pointer to bytes.
            unsafe planes.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: rows.channels) {
                unsafe read($0, &problem)
            }
        }
        guard status == NFK_OK else { throw problem.error(name) }
    }

    /// To be called after the last row; gives what is odd about the end, if anything is.
    func finish() throws(NightfuseError) -> String? {
        var problem = nfk_problem()
        guard unsafe nfk_png_finish(reader, &problem) == NFK_OK else { throw problem.error(name) }
        let note = problem.message
        return note.isEmpty ? nil : note
    }
}
