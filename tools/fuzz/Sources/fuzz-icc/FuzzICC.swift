import FuzzSupport
import NightfuseCodecs
import NightfuseCore

/// Reads the input as a profile, and the profile that is made of what it says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzICC(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let name = Array("ICC_PROFILE\0".utf8) + [1, 1]
    guard let picture = decodeAnything(jpegHolding(name, input, marker: 0xE2)) else {
        preconditionFailure("a profile must not stop a picture")
    }
    let colour = picture.colour
    precondition(colour.toXYZ.m.allSatisfy { $0.isFinite } && colour.toXYZ.inverse != nil)
    for i in 0...16 {
        let light = colour.transfer.linear(Double(i) / 16)
        precondition(light.isFinite && colour.transfer.coded(light).isFinite)
    }
    let made = makeICCProfile(colour, channels: 1)
    guard let again = decodeAnything(jpegHolding(name, made, marker: 0xE2)) else {
        preconditionFailure("a profile must not stop a picture")
    }
    precondition(again.icc == made)
    return 0
}
