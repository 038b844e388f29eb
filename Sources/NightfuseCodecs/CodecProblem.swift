internal import CCodecShims
internal import NightfuseCore

extension nfk_problem {
    /// The shim's line of text.
    var message: String {
        // An array of C, which Swift sees as a tuple; nothing beyond its bytes is read.
        unsafe withUnsafeBytes(of: text) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The error that this is, of the file `name`.
    func error(_ name: String) -> NightfuseError {
        switch Int32(status) {
        case NFK_UNSUPPORTED: .unsupported(name, message)
        case NFK_MEMORY: .limit("\(name): \(message)")
        default: .file(name, message)
        }
    }
}
