internal import NightfuseCodecs
internal import NightfuseCore

/// Writes the page of `--report`, where one is asked for. Called when all else is written: its failure costs nothing
/// else.
func writeReport(_ run: VerbRun, _ page: () throws(NightfuseError) -> [UInt8]) throws(NightfuseError) {
    guard let path = run.arguments.path("--report") else { return }
    let output = try AtomicOutput(path, overwrite: run.force)
    try output.write(try page())
    try output.commit()
}
