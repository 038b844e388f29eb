internal import NightfuseCore

/// A file in memory, read with its byte order and within its bounds.
struct TIFFBytes: Sendable {
    let file: FileBytes
    let bigEndian: Bool
    /// The file's name, for messages.
    let name: String
    /// Whether only the file's first bytes are here: directories are read as far as they are, samples not looked for.
    var isStart = false

    var count: Int { file.count }

    /// Throws unless `length` bytes from `offset` lie in the file; `what` names what was looked for.
    func check(_ offset: Int, _ length: Int, _ what: @autoclosure () -> String) throws(NightfuseError) {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else {
            throw .file(name, "\(what()) at byte \(offset) (\(length) bytes) lies outside the file of \(count) bytes")
        }
    }

    /// The unsigned 16-bit number at `offset`, which has been checked.
    func u16(_ offset: Int) -> Int {
        let value = file.load(offset, as: UInt16.self)
        return Int(bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value))
    }

    /// The unsigned 32-bit number at `offset`, which has been checked.
    func u32(_ offset: Int) -> Int { Int(bits32(offset)) }

    func bits32(_ offset: Int) -> UInt32 {
        let value = file.load(offset, as: UInt32.self)
        return bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
    }

    func bits64(_ offset: Int) -> UInt64 {
        let value = file.load(offset, as: UInt64.self)
        return bigEndian ? UInt64(bigEndian: value) : UInt64(littleEndian: value)
    }
}

extension FixedWidthInteger {
    /// The bytes of a number, in the order of a file.
    func bytes(bigEndian: Bool) -> [UInt8] {
        let shifts = stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
        return bigEndian ? shifts.reversed() : shifts
    }
}
