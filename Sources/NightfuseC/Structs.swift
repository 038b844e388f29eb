internal import CNightfuse
internal import Nightfuse

// `unsafe`: callers' structs are read and written by the size that each says it has (see Handles.swift).

/// A struct of the header that begins with its size, so that it can grow at the end.
protocol SizedStruct {
    var size: Int { get set }
    init()
}

extension nf_image: SizedStruct {}
extension nf_output: SizedStruct {}
extension nf_tags: SizedStruct {}
extension nf_raw: SizedStruct {}
extension nf_meter_options: SizedStruct {}
extension nf_preview_tags: SizedStruct {}
extension nf_gyroscope_sample: SizedStruct {}
extension nf_scene: SizedStruct {}
extension nf_device: SizedStruct {}
extension nf_plan_options: SizedStruct {}
extension nf_plan_summary: SizedStruct {}
extension nf_planned_frame: SizedStruct {}
extension nf_options: SizedStruct {}
extension nf_result: SizedStruct {}
extension nf_frame_report: SizedStruct {}

extension SizedStruct {
    /// The caller's struct; what it is too short for as in `defaults`.
    ///
    /// - Parameters:
    ///   - what: what messages call it.
    ///   - defaults: the fields of a caller that sets none.
    init(
        _ pointer: UnsafePointer<Self>?, _ what: StaticString, defaults: Self = Self()
    ) throws(NightfuseError) {
        guard let pointer = unsafe pointer else { throw .argument("\(what) is NULL") }
        let bytes = unsafe UnsafeRawPointer(pointer)
        let size = try unsafe Self.checkedSize(bytes, what)
        self = defaults
        let known = MemoryLayout<Self>.size
        unsafe withUnsafeMutableBytes(of: &self) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: min(size, known)))
        }
        if size > known,
            unsafe !UnsafeRawBufferPointer(start: bytes + known, count: size - known).allSatisfy({ $0 == 0 })
        {
            throw .argument("\(what) has fields of a newer version than this library's, and they are not zero")
        }
        self.size = known
    }

    /// As ``init(_:_:defaults:)``, the defaults where the pointer is NULL.
    init(
        optional pointer: UnsafePointer<Self>?, _ what: StaticString, defaults: Self = Self()
    ) throws(NightfuseError) {
        if unsafe pointer == nil { self = defaults } else { self = try unsafe Self(pointer, what, defaults: defaults) }
    }

    /// The size that the caller says, if the struct's first field can be in it.
    private static func checkedSize(_ bytes: UnsafeRawPointer, _ what: StaticString) throws(NightfuseError) -> Int {
        let size = unsafe bytes.loadUnaligned(as: Int.self)
        // Nothing here grows to a megabyte: that is memory nobody set.
        guard size >= MemoryLayout<Int>.size, size <= 1 << 20 else {
            throw .argument("\(what): size is \(size), not the struct's; set it to sizeof")
        }
        return size
    }

    /// Throws unless the caller's struct can be written.
    static func check(_ pointer: UnsafeMutablePointer<Self>?, _ what: StaticString) throws(NightfuseError) {
        guard let pointer = unsafe pointer else { throw .argument("\(what) is NULL") }
        _ = try unsafe checkedSize(UnsafeRawPointer(pointer), what)
    }

    /// Writes as much as the caller's struct holds, which must have been checked; what it has beyond becomes zero.
    func write(to pointer: UnsafeMutablePointer<Self>?) {
        guard let pointer = unsafe pointer else { return }
        let bytes = UnsafeMutableRawPointer(pointer)
        let size = unsafe bytes.loadUnaligned(as: Int.self)
        var value = self
        value.size = size
        let known = MemoryLayout<Self>.size
        unsafe withUnsafeBytes(of: value) {
            unsafe bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: min(size, known))
        }
        if size > known { unsafe (bytes + known).initializeMemory(as: UInt8.self, repeating: 0, count: size - known) }
    }

    /// Sets all fields of a caller's struct of `size` bytes.
    func initialise(_ pointer: UnsafeMutablePointer<Self>?, size: Int) -> nf_status {
        guard let pointer = unsafe pointer, size >= MemoryLayout<Int>.size, size <= 1 << 20 else {
            return NF_ERROR_ARGUMENT
        }
        unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: size, as: Int.self)
        unsafe write(to: pointer)
        return NF_OK
    }
}

/// Elements of a caller's array, whose structs are as long as the first one says. Used within the call that it came with.
@safe
struct SizedArray<Element: SizedStruct> {
    private let bytes: UnsafeRawPointer
    private let step: Int

    init(_ pointer: UnsafePointer<Element>?, _ what: StaticString) throws(NightfuseError) {
        guard let pointer = unsafe pointer else { throw .argument("\(what) is NULL") }
        // Throws where the first has no size.
        _ = try unsafe Element(pointer, what)
        unsafe bytes = UnsafeRawPointer(pointer)
        step = unsafe bytes.loadUnaligned(as: Int.self)
    }

    func element(_ index: Int) -> UnsafePointer<Element> {
        unsafe (bytes + index * step).assumingMemoryBound(to: Element.self)
    }
}

/// Copies text into a field of fixed length, cut at a whole character, ended by 0.
func put<Field>(_ text: String, into field: inout Field) {
    unsafe withUnsafeMutableBytes(of: &field) { bytes in
        var length = 0
        for character in text.unicodeScalars {
            let code = UTF8.encode(character)
            guard let code, length + code.count < bytes.count else { break }
            for byte in code {
                unsafe bytes[length] = byte
                length += 1
            }
        }
        for i in length..<bytes.count { unsafe bytes[i] = 0 }
    }
}
