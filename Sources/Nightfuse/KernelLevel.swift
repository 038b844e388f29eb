/// The instruction level that the kernels of this build use.
public enum KernelLevel {
    /// Its name, as in the command's JSON.
    public static var current: String {
        #if arch(x86_64)
            "x86-64"
        #elseif arch(arm64)
            "arm64-neon"
        #else
            "portable"
        #endif
    }
}
