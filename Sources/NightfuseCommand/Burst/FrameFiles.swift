internal import NightfuseCodecs
internal import NightfuseCore

/// The files that operands stand for: a folder for the pictures in it, in natural order of their names.
///
/// - Throws: `.system` where a folder cannot be read, `.file` where it holds no picture. A file that is missing is
///   found when it is read.
func frameFiles(_ operands: [FilePath]) throws(NightfuseError) -> [FilePath] {
    var files: [FilePath] = []
    for operand in operands {
        guard FileAccess.kind(operand) == .folder else {
            files.append(operand)
            continue
        }
        let pictures = try FileAccess.pictures(in: operand)
        guard !pictures.isEmpty else { throw .file("\(operand)", "no picture in this folder") }
        files += pictures
    }
    return files
}
