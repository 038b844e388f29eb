/// Where a file is: the bytes that the system uses, which need not be UTF-8.
public struct FilePath: Hashable, Sendable, CustomStringConvertible {
    /// The path without the zero at its end. A zero inside ends it.
    public let bytes: [UInt8]

    /// A path of these bytes, up to a zero if there is one.
    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

    /// A path of this text's UTF-8.
    public init(_ text: String) { self.init(bytes: text.utf8) }

    /// For messages, one line: control characters and bytes that are no UTF-8 are shown as \xNN.
    public var description: String {
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            let piece = rest.prefix(length)
            if first >= 0x20, first != 0x7F, let good = String(validating: piece, as: UTF8.self) {
                text += good
                rest = rest.dropFirst(length)
            } else {
                let digits = String(first, radix: 16)
                text += "\\x" + (digits.count == 1 ? "0" : "") + digits
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// The last component, without the folder.
    public var name: [UInt8] {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
        return Array(bytes[(slash + 1)...])
    }

    /// The folder that holds the file: "." for a bare name, "/" at the root.
    public var folder: FilePath {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(".") }
        return slash == 0 ? FilePath("/") : FilePath(bytes: bytes[..<slash])
    }

    /// What stands behind the name's last dot, in lower case ASCII; empty where there is none.
    public var fileExtension: String {
        let name = name
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "" }
        return String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
    }

    /// The path of a file in this folder.
    public func appending(_ name: [UInt8]) -> FilePath {
        FilePath(bytes: bytes.last == UInt8(ascii: "/") ? bytes + name : bytes + [UInt8(ascii: "/")] + name)
    }

    /// Calls `body` with the path as C wants it.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let ended = bytes.map { CChar(bitPattern: $0) } + [0]
        return unsafe ended.withUnsafeBufferPointer { buffer in
            // Never nil: the array has at least one element, the zero that ends it.
            unsafe body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
