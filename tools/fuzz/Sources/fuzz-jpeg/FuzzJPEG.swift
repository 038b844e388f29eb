import FuzzSupport

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEG(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    decodeAnything(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
