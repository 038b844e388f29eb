// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

// `unsafe`: what C passes and gets (see Handles.swift).

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
        unsafe fill(error, NF_OK, "")
        return NF_OK
    } catch let failure {
        unsafe fill(error, failure.status, failure.description)
        return failure.status
    }
}

/// Fills as much of the caller's struct as there is of it; nothing where its size was not set.
private func fill(_ error: UnsafeMutablePointer<nf_error>?, _ status: nf_status, _ message: String) {
    guard let error = unsafe error else { return }
    let size = unsafe error.pointee.size
    guard size >= MemoryLayout<Int>.size, size <= 1 << 20 else { return }
    // A message of a success takes no text apart: metering allocates nothing.
    if status == NF_OK, size >= MemoryLayout<nf_error>.size {
        unsafe error.pointee.status = NF_OK
        unsafe error.pointee.message.0 = 0
        return
    }
    var value = nf_error()
    (value.size, value.status) = (size, status)
    put(message, into: &value.message)
    let count = min(size, MemoryLayout<nf_error>.size)
    unsafe withUnsafeBytes(of: &value) {
        unsafe UnsafeMutableRawBufferPointer(start: error, count: count).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    // A message that was cut by a short struct still has its end.
    if count < MemoryLayout<nf_error>.size, count > MemoryLayout<nf_error>.offset(of: \.message) ?? count {
        unsafe UnsafeMutableRawPointer(error).storeBytes(of: 0, toByteOffset: count - 1, as: UInt8.self)
    }
}

// These live as long as the process.
private let versionText = CText(LibraryVersion.current)
private let unknownName = CText("unknown")
private let statusNames = [
    "NF_OK", "NF_ERROR_ARGUMENT", "NF_ERROR_FRAME", "NF_ERROR_LIMIT", "NF_ERROR_UNSUPPORTED", "NF_ERROR_SYSTEM",
    "NF_ERROR_CANCELLED",
].map { CText($0) }

/// The library's version.
@c @implementation
public func nf_version() -> UnsafePointer<CChar>! { unsafe versionText.start }

/// The constant's name.
@c @implementation
public func nf_status_name(_ status: nf_status) -> UnsafePointer<CChar>! {
    unsafe (statusNames.indices ~= Int(status.rawValue) ? statusNames[Int(status.rawValue)] : unknownName).start
}
