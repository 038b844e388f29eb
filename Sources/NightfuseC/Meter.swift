// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

// `unsafe`: what C passes and gets (see Handles.swift).

/// Makes a meter.
@c @implementation
public func nf_meter_create(
    _ options: UnsafePointer<nf_meter_options>!, _ meter: UnsafeMutablePointer<OpaquePointer?>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe meter?.pointee = nil
    return unsafe told(error) { () throws(NightfuseError) in
        guard let meter = unsafe meter else { throw .argument("meter is NULL") }
        let options = try unsafe nf_meter_options(optional: options, "options")
        for size in [options.frame_width, options.frame_height] where size != 0 && !(16...1 << 20 ~= size) {
            throw .argument("options: a frame's side is \(size); it must be 16 to 1048576 pixels, or 0")
        }
        let focal = options.focal_length
        guard focal.isFinite, 0...100 ~= focal else {
            throw .argument("options: focal_length is \(focal); it must be above 0 and at most 100, or 0 for the usual")
        }
        let made = PreviewMeter(
            frameWidth: options.frame_width == 0 ? nil : Int(options.frame_width),
            frameHeight: options.frame_height == 0 ? nil : Int(options.frame_height),
            focalLength: focal == 0 ? 0.72 : focal)
        unsafe meter.pointee = Handle.make(made)
    }
}

/// Takes in one preview frame.
@c @implementation
public func nf_meter_add(
    _ meter: OpaquePointer!, _ preview: UnsafePointer<nf_image>!, _ tags: UnsafePointer<nf_preview_tags>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let meter = try unsafe Handle.object(meter, PreviewMeter.self, "meter")
        let image = try unsafe nf_image(preview, "preview")
        let from = try unsafe nf_preview_tags(tags, "tags")
        let name = unsafe text(from.name, or: "preview")
        guard
            unsafe from.exposure_s > 0 && from.exposure_s.isFinite && from.iso > 0 && from.iso.isFinite
                && from.time_s.isFinite
        else {
            throw .argument(
                unsafe "\(name): exposure \(from.exposure_s) s, ISO \(from.iso), time \(from.time_s) s; the first two must be "
                    + "above 0, all finite")
        }
        let tags = unsafe PreviewTags(
            exposureSeconds: from.exposure_s, iso: from.iso, timeSeconds: from.time_s, name: name)
        if unsafe image.layout == NF_LAYOUT_LUMA8 {
            guard let pixels = unsafe image.pixels else { throw .argument("\(name): there is no memory of pixels") }
            guard unsafe image.width > 0 && image.stride >= Int(image.width) else {
                throw .argument(
                    unsafe "\(name): the stride of pixels is \(image.stride) bytes, a row takes \(image.width)")
            }
            try unsafe meter.add(
                pixels, width: Int(image.width), height: Int(image.height), stride: image.stride, layout: .luma,
                tags: tags)
        } else {
            try unsafe meter.add(image.pixels(name: name), tags: tags)
        }
    }
}

/// Takes in angular rates.
@c @implementation
public func nf_meter_add_gyroscope(
    _ meter: OpaquePointer!, _ sample: UnsafePointer<nf_gyroscope_sample>!, _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let meter = try unsafe Handle.object(meter, PreviewMeter.self, "meter")
        let sample = try unsafe nf_gyroscope_sample(sample, "sample")
        try meter.add(GyroscopeSample(timeSeconds: sample.time_s, x: sample.x, y: sample.y, z: sample.z))
    }
}

/// What is known now.
@c @implementation
public func nf_meter_read(
    _ meter: OpaquePointer!, _ scene: UnsafeMutablePointer<nf_scene>!, _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let meter = try unsafe Handle.object(meter, PreviewMeter.self, "meter")
        try unsafe nf_scene.check(scene, "scene")
        let reading = try meter.known()
        var out = nf_scene()
        out.night_mode = reading.nightMode ? 1 : 0
        out.steady = reading.steady ? 1 : 0
        out.flicker_hz = Int32(clamping: reading.flickerHz ?? -1)
        out.frame_count = Int32(clamping: reading.frameCount)
        out.mean_luminance = reading.meanLuminance
        out.shadow_depth_ev = reading.shadowDepthEV
        out.dynamic_range_ev = reading.dynamicRangeEV
        out.clipped_fraction = reading.clippedFraction
        out.camera_motion_px_s = reading.cameraMotion ?? -1
        out.subject_motion_px_s = reading.subjectMotion ?? -1
        out.subject_fraction = reading.subjectFraction
        unsafe out.write(to: scene)
    }
}

extension PreviewMeter {
    /// The reading, or that there was no preview to make one of.
    func known() throws(NightfuseError) -> SceneReading {
        guard let reading = reading() else { throw .argument("the meter has seen no preview yet") }
        return reading
    }
}

/// Forgets all frames.
@c @implementation
public func nf_meter_reset(_ meter: OpaquePointer!) {
    unsafe Handle.object(meter, PreviewMeter.self)?.reset()
}

/// Ends a meter.
@c @implementation
public func nf_meter_destroy(_ meter: OpaquePointer!) { _ = unsafe Handle.destroy(meter, PreviewMeter.self) }
