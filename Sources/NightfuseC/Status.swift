// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

extension NightfuseError {
    /// The same, as the header has it.
    var status: nf_status {
        switch self {
        case .file: NF_ERROR_FRAME
        case .argument: NF_ERROR_ARGUMENT
        case .limit: NF_ERROR_LIMIT
        case .unsupported: NF_ERROR_UNSUPPORTED
        case .system: NF_ERROR_SYSTEM
        case .cancelled: NF_ERROR_CANCELLED
        }
    }
}

/// Does a call's work, and tells how it ended.
func told(
    _ error: UnsafeMutablePointer<nf_error>?, _ body: () throws(NightfuseError) -> Void
) -> nf_status {
    do throws(NightfuseError) {
        try body()
        fill(error, NF_OK, "")
        return NF_OK
    } catch let failure {
        fill(error, failure.status, failure.description)
        return failure.status
    }
}

/// Fills as much of the caller's struct as there is of it; nothing where its size was not set.
private func fill(_ error: UnsafeMutablePointer<nf_error>?, _ status: nf_status, _ message: String) {
    guard let error else { return }
    let size = error.pointee.size
    guard size >= MemoryLayout<Int>.size, size <= 1 << 20 else { return }
    // A message of a success takes no text apart: metering allocates nothing.
    if status == NF_OK, size >= MemoryLayout<nf_error>.size {
        error.pointee.status = NF_OK
        error.pointee.message.0 = 0
        return
    }
    var value = nf_error()
    (value.size, value.status) = (size, status)
    put(message, into: &value.message)
    let count = min(size, MemoryLayout<nf_error>.size)
    withUnsafeBytes(of: &value) {
        UnsafeMutableRawBufferPointer(start: error, count: count).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    // A message that was cut by a short struct still has its end.
    if count < MemoryLayout<nf_error>.size, count > MemoryLayout<nf_error>.offset(of: \.message) ?? count {
        UnsafeMutableRawPointer(error).storeBytes(of: 0, toByteOffset: count - 1, as: UInt8.self)
    }
}

/// An object whose life the caller of C ends.
enum Handle {
    static func make(_ object: AnyObject) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

    static func object<T: AnyObject>(
        _ handle: OpaquePointer?, _ type: T.Type, _ what: StaticString
    ) throws(NightfuseError) -> T {
        guard let handle else { throw .argument("\(what) is NULL") }
        return Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    static func destroy<T: AnyObject>(_ handle: OpaquePointer?, _ type: T.Type) -> T? {
        handle.map { Unmanaged<T>.fromOpaque(UnsafeRawPointer($0)).takeRetainedValue() }
    }
}

/// Text that lasts as long as the process.
private func lasting(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    memory.initialize(from: bytes, count: bytes.count)
    return UnsafePointer(memory)
}

// Never written after they are made.
nonisolated(unsafe) private let versionText = lasting(LibraryVersion.current)
nonisolated(unsafe) private let unknownName = lasting("unknown")
nonisolated(unsafe) private let statusNames = [
    "NF_OK", "NF_ERROR_ARGUMENT", "NF_ERROR_FRAME", "NF_ERROR_LIMIT", "NF_ERROR_UNSUPPORTED", "NF_ERROR_SYSTEM",
    "NF_ERROR_CANCELLED",
].map(lasting)

/// The library's version.
@c @implementation
public func nf_version() -> UnsafePointer<CChar>! { versionText }

/// The constant's name.
@c @implementation
public func nf_status_name(_ status: nf_status) -> UnsafePointer<CChar>! {
    statusNames.indices ~= Int(status.rawValue) ? statusNames[Int(status.rawValue)] : unknownName
}
