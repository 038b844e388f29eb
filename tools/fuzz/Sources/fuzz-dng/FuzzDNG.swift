import FuzzSupport
import NightfuseCore
import NightfuseRaw

/// Any bytes give a frame or an error; what is read can be written, and is then read back the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDNG(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    // Smaller than the other parsers': the writer and a second reading follow.
    var limits = fuzzLimits
    limits.pixels = 1 << 16
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    do throws(NightfuseError) {
        if size > 1, data[0] == 0xFF, data[1] == 0xD8 {
            _ = try LosslessJPEG.decode(bytes, name: "fuzz", limits: limits)
        } else {
            checkRoundTrip(try DNGReader.read(bytes, name: "fuzz", limits: limits))
        }
    } catch {
        precondition(!error.description.contains("\n"), "a message of more than one line")
    }
    return 0
}

private func checkRoundTrip(_ frame: RawFrame) {
    var writer = DNGWriter()
    for compression in [DNGWriter.Compression.none, .lossless] {
        writer.compression = compression
        do throws(NightfuseError) {
            let again = try DNGReader.read(try writer.bytes(frame), name: "again")
            precondition(
                again.layout == frame.layout && again.info.orientation == frame.info.orientation, "another frame")
            precondition(again.width == frame.width && again.height == frame.height, "another size")
            for (a, b) in zip(frame.planes, again.planes) {
                for y in 0..<a.height {
                    for x in 0..<a.width { precondition(a[x, y] == b[x, y], "other samples") }
                }
            }
        } catch { fatalError("what was read cannot be written and read: \(error)") }
    }
}
