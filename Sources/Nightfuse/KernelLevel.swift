internal import NightfuseKernels

/// The instruction level that the kernels run at.
public enum KernelLevel {
    /// Its name, as in the command's JSON.
    public static var current: String { NightfuseKernels.KernelLevel.current }

    /// Names that the environment variable `NIGHTFUSE_KERNELS` can force here.
    public static var available: [String] { NightfuseKernels.KernelLevel.available }

    /// Why what `NIGHTFUSE_KERNELS` asks for is not used; nil where it is, or where it asks for nothing.
    public static var problem: String? { NightfuseKernels.KernelLevel.problem }
}
