private import CCodecShims

/// The libraries below, for reports of what runs.
public enum CodecLibraries {
    /// Version of libpng.
    public static var png: String { String(cString: nfk_png_version()) }
    /// Version of libjpeg.
    public static var jpeg: String { String(cString: nfk_jpeg_version()) }
}
