import FuzzSupport
import NightfuseCodecs

/// Reads the input as an EXIF block and edits it; what was made must be read without complaint.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEXIF(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let picture = decodeAnything(holding(input)) else { preconditionFailure("EXIF must not stop a picture") }
    var edit = EXIFEdit(width: 8, height: 8)
    edit.block = picture.exif
    edit.info = picture.info
    edit.stripLocation = count % 2 == 1
    let seconds = picture.info.exposureSeconds
    edit.composite = CompositeRecord(sources: [
        .init(exposureSeconds: seconds, used: true), .init(exposureSeconds: seconds, used: false),
    ])
    let made = edit.make().bytes
    precondition(made.count <= edit.byteLimit)
    guard let again = decodeAnything(holding(made)) else { preconditionFailure("EXIF must not stop a picture") }
    precondition(again.exif == made && again.notes.isEmpty)
    return 0
}

private func holding(_ block: [UInt8]) -> [UInt8] { jpegHolding(Array("Exif\0\0".utf8), block, marker: 0xE1) }
