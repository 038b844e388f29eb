// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

// `unsafe`: what C passes and gets (see Handles.swift).

/// A plan as C asks for it, with its words kept where pointers can lead to them.
private final class PlanHandle {
    let plan: CapturePlan
    let reasons: [CText]

    init(_ plan: CapturePlan) { (self.plan, reasons) = (plan, plan.because.map { CText($0) }) }
}

extension nf_device {
    /// A phone's main camera.
    static var usual: nf_device {
        let limits = DeviceLimits()
        var device = nf_device()
        device.size = MemoryLayout<nf_device>.size
        (device.min_exposure_s, device.max_exposure_s) = (limits.minExposureSeconds, limits.maxExposureSeconds)
        device.handheld_exposure_s = limits.handheldExposureSeconds
        (device.min_iso, device.max_iso) = (limits.minISO, limits.maxISO)
        (device.frame_gap_s, device.max_frames) = (limits.frameGapSeconds, Int32(clamping: limits.maxFrames))
        device.shot_per_iso = limits.noise.shotPerISO
        (device.read_electrons, device.read_floor) = (limits.noise.readElectrons, limits.noise.readFloor)
        return device
    }

    fileprivate var limits: DeviceLimits {
        var limits = DeviceLimits()
        (limits.minExposureSeconds, limits.maxExposureSeconds) = (min_exposure_s, max_exposure_s)
        limits.handheldExposureSeconds = handheld_exposure_s
        (limits.minISO, limits.maxISO) = (min_iso, max_iso)
        (limits.frameGapSeconds, limits.maxFrames) = (frame_gap_s, Int(max_frames))
        limits.noise.shotPerISO = shot_per_iso
        (limits.noise.readElectrons, limits.noise.readFloor) = (read_electrons, read_floor)
        return limits
    }
}

/// Sets every field to its default.
@c @implementation
public func nf_device_init(_ device: UnsafeMutablePointer<nf_device>!, _ size: Int) -> nf_status {
    unsafe nf_device.usual.initialise(device, size: size)
}

/// Plans a shot from what the meter knows.
@c @implementation
public func nf_plan_create(
    _ meter: OpaquePointer!, _ device: UnsafePointer<nf_device>!, _ options: UnsafePointer<nf_plan_options>!,
    _ plan: UnsafeMutablePointer<OpaquePointer?>!, _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe plan?.pointee = nil
    return unsafe told(error) { () throws(NightfuseError) in
        guard let plan = unsafe plan else { throw .argument("plan is NULL") }
        let meter = try unsafe Handle.object(meter, PreviewMeter.self, "meter")
        let device = try unsafe nf_device(optional: device, "device", defaults: .usual)
        let options = try unsafe nf_plan_options(optional: options, "options")
        let steady: SteadyChoice = try choice(options.steady.rawValue, [.auto, .yes, .no], "steady")
        let made = try CapturePlanner(device: device.limits).plan(
            try meter.known(), maxSeconds: options.max_time_s == 0 ? nil : options.max_time_s, steady: steady)
        unsafe plan.pointee = Handle.make(PlanHandle(made))
    }
}

/// Counts and expectations.
@c @implementation
public func nf_plan_summarise(
    _ plan: OpaquePointer!, _ summary: UnsafeMutablePointer<nf_plan_summary>!, _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let plan = try unsafe Handle.object(plan, PlanHandle.self, "plan").plan
        try unsafe nf_plan_summary.check(summary, "summary")
        var out = nf_plan_summary()
        out.night_mode = plan.nightMode ? 1 : 0
        out.frame_count = Int32(clamping: plan.frames.count)
        out.reason_count = Int32(clamping: plan.because.count)
        out.fusion_time_s = plan.fusionTimeSeconds
        out.shadow_snr_db = plan.expected.shadowSNRdB
        out.blur_px = plan.expected.blurPx
        out.base_exposure_product = plan.baseExposureProduct
        unsafe out.write(to: summary)
    }
}

/// A frame to shoot.
@c @implementation
public func nf_plan_frame(
    _ plan: OpaquePointer!, _ index: Int32, _ frame: UnsafeMutablePointer<nf_planned_frame>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let plan = try unsafe Handle.object(plan, PlanHandle.self, "plan").plan
        try unsafe nf_planned_frame.check(frame, "frame")
        guard plan.frames.indices ~= Int(index) else {
            throw .argument("the plan has frames 0 to \(plan.frames.count - 1), not \(index)")
        }
        let planned = plan.frames[Int(index)]
        var out = nf_planned_frame()
        (out.exposure_s, out.iso) = (planned.exposureSeconds, planned.iso)
        switch planned.role {
        case .base: out.role = NF_ROLE_BASE
        case .short: out.role = NF_ROLE_SHORT
        case .long: out.role = NF_ROLE_LONG
        }
        unsafe out.write(to: frame)
    }
}

/// What drove the plan.
@c @implementation
public func nf_plan_reason(_ plan: OpaquePointer!, _ index: Int32) -> UnsafePointer<CChar>! {
    guard let reasons = unsafe Handle.object(plan, PlanHandle.self)?.reasons, reasons.indices ~= Int(index) else {
        return nil
    }
    return unsafe reasons[Int(index)].start
}

/// Ends a plan.
@c @implementation
public func nf_plan_destroy(_ plan: OpaquePointer!) { _ = unsafe Handle.destroy(plan, PlanHandle.self) }
