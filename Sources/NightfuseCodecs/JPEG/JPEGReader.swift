internal import CCodecShims
internal import NightfuseCore

/// A JPEG that libjpeg reads, from its header to its end.
///
/// Safe, though the shim takes pointers: its reader is closed once, when this ends; the file's bytes stay where they are
/// until then (`open`); and rows are read only into planes that hold them (`read`).
@safe
struct JPEGReader: ~Copyable {
    let header: nfk_jpeg_header
    private let reader: OpaquePointer
    private let name: String

    /// Calls `body` with the file `bytes`, which errors call `name`, read up to its first scan. One of more than
    /// `mostScans` is refused when they are read.
    static func open<Result>(
        _ bytes: [UInt8], name: String, mostScans: Int,
        _ body: (borrowing JPEGReader) throws(NightfuseError) -> Result
    ) throws(NightfuseError) -> Result {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(NightfuseError) in
            try body(unsafe JPEGReader(buffer, name: name, mostScans: mostScans))
        }
    }

    /// The bytes must stay where they are for as long as this is there.
    private init(_ bytes: UnsafeBufferPointer<UInt8>, name: String, mostScans: Int) throws(NightfuseError) {
        var header = nfk_jpeg_header()
        var problem = nfk_problem()
        let opened = unsafe nfk_jpeg_open(bytes.baseAddress, bytes.count, Int32(mostScans), &header, &problem)
        guard let reader = unsafe opened else { throw problem.error(name) }
        unsafe self.reader = reader
        (self.header, self.name) = (header, name)
    }

    deinit { unsafe nfk_jpeg_close(reader) }

    /// Reads the next rows.
    ///
    /// - Precondition: as many planes as the header says, and as wide.
    func read(_ rows: PlaneRows<UInt8>) throws(NightfuseError) {
        precondition(rows.channels == Int(header.channels) && rows.width >= Int(header.width))
        var problem = nfk_problem()
        let status = unsafe rows.withMutablePointers { planes in
            unsafe nfk_jpeg_read(reader, planes, rows.stride, Int32(rows.count), &problem)
        }
        guard status == NFK_OK else { throw problem.error(name) }
    }

    /// To be called after the last row; gives what is odd about the end, if anything is.
    func finish() throws(NightfuseError) -> String? {
        var problem = nfk_problem()
        guard unsafe nfk_jpeg_finish(reader, &problem) == NFK_OK else { throw problem.error(name) }
        let note = problem.message
        return note.isEmpty ? nil : note
    }
}
