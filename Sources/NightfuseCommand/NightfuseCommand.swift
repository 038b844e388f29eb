/// The command: parses its words, calls the library once, reports. Returns the exit status.
public func runCommand(_ arguments: [String]) -> Int32 {
    2
}
