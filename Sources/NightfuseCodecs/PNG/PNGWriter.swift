internal import CCodecShims
internal import NightfuseCore

/// A PNG that libpng makes.
///
/// Safe, though the shim takes pointers: its writer is freed once, when this ends; rows are read only from planes that
/// hold them (`write`); and what it made is passed on before it is called again (`drain`).
@safe
struct PNGWriter: ~Copyable {
    private let writer: OpaquePointer
    private let channels, width, maxCode: Int

    /// - Throws: `.limit` where there is no memory.
    init(_ picture: EncodedPicture, profile: [UInt8], bits: Int) throws(NightfuseError) {
        var problem = nfk_problem()
        let made = unsafe nfk_png_create(
            Int32(picture.width), Int32(picture.height), Int32(picture.channels), Int32(bits), picture.exif,
            picture.exif.count, profile, profile.count, &problem)
        guard let writer = unsafe made else { throw problem.error("PNG") }
        unsafe self.writer = writer
        (channels, width, maxCode) = (picture.channels, picture.width, picture.maxCode)
    }

    deinit { unsafe nfk_png_destroy(writer) }

    /// Takes the next rows.
    ///
    /// - Precondition: as many planes as the picture has, and as wide.
    func write(_ rows: PlaneRows<UInt16>) throws(NightfuseError) {
        precondition(rows.channels == channels && rows.width >= width)
        var problem = nfk_problem()
        let status = unsafe rows.withPointers { planes in
            unsafe nfk_png_write(writer, planes, rows.stride, Int32(rows.count), Int32(maxCode), &problem)
        }
        guard status == NFK_OK else { throw problem.error("PNG") }
    }

    /// To be called after the last row.
    func end() throws(NightfuseError) {
        var problem = nfk_problem()
        guard unsafe nfk_png_end(writer, &problem) == NFK_OK else { throw problem.error("PNG") }
    }

    /// Passes on what was made since the last call.
    func drain(to sink: any ByteSink) throws(NightfuseError) {
        let made = unsafe nfk_png_take(writer)
        try unsafe sink.write(UnsafeRawBufferPointer(start: made.bytes, count: made.count))
    }
}
