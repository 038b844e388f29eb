private import CCodecShims

/// The libraries below, for reports of what runs. The shims give static text that ends with a zero.
public enum CodecLibraries {
    /// Version of libpng.
    public static var png: String { unsafe String(cString: nfk_png_version()) }
    /// Version of libjpeg.
    public static var jpeg: String { unsafe String(cString: nfk_jpeg_version()) }
}
