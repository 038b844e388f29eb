internal import Nightfuse

// `unsafe` in this module has one reason: C passes addresses, and the header alone says what they lead to. What is NULL is
// answered; what is not is taken for what the header asks for, and no further than the sizes go that came with it. Nothing of
// the caller's is kept beyond a call, but for the progress function and its context.

/// An object whose life the caller of C ends: retained when it is made, released when it is destroyed.
enum Handle {
    static func make(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// The object behind a handle; nil where that is NULL.
    static func object<T: AnyObject>(_ handle: OpaquePointer?, _ type: T.Type) -> T? {
        guard let handle = unsafe handle else { return nil }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    static func object<T: AnyObject>(
        _ handle: OpaquePointer?, _ type: T.Type, _ what: StaticString
    ) throws(NightfuseError) -> T {
        guard let object = unsafe object(handle, type) else { throw .argument("\(what) is NULL") }
        return object
    }

    /// The object, which lives no longer than the caller keeps it.
    static func destroy<T: AnyObject>(_ handle: OpaquePointer?, _ type: T.Type) -> T? {
        guard let handle = unsafe handle else { return nil }
        return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeRetainedValue()
    }
}

/// Text where C can read it, for as long as this is there. Unchecked: never written after it is made.
@safe
final class CText: @unchecked Sendable {
    /// Ends with 0.
    let start: UnsafePointer<CChar>

    init(_ text: String) {
        let bytes = Array(text.utf8CString)
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        unsafe memory.initialize(from: bytes, count: bytes.count)
        unsafe start = UnsafePointer(memory)
    }

    deinit { unsafe start.deallocate() }
}

/// Text that C passes, ended by 0, or what stands for none.
func text(_ text: UnsafePointer<CChar>?, or none: String) -> String {
    guard let text = unsafe text else { return none }
    return unsafe String(cString: text)
}
