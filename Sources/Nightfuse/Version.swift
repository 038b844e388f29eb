/// Which version of Nightfuse this is.
public enum LibraryVersion {
    /// "major.minor.patch", of the command and the library.
    public static let current = "0.1.0"
}
