// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

// `unsafe`: what C passes and gets (see Handles.swift).

/// A session as C holds it. `cancellation` alone may be used by several threads.
private final class SessionHandle {
    let session: FusionSession
    let cancellation: Cancellation
    /// Of a session that is finished.
    var reports: [FrameReport]?

    init(_ options: nf_options) throws(NightfuseError) {
        let cancellation = Cancellation()
        guard unsafe 0...64 ~= options.waiting else {
            throw .argument(unsafe "waiting is \(options.waiting); it must be 0 to 64 frames")
        }
        let progress = unsafe ProgressCall(options)
        session = unsafe FusionSession(
            options: try options.fusionOptions(), workers: try options.workers(), waiting: Int(options.waiting),
            cancellation: cancellation, progress: progress?.tell)
        self.cancellation = cancellation
    }
}

/// Makes a session.
@c @implementation
public func nf_session_create(
    _ options: UnsafePointer<nf_options>!, _ session: UnsafeMutablePointer<OpaquePointer?>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe session?.pointee = nil
    return unsafe told(error) { () throws(NightfuseError) in
        guard let session = unsafe session else { throw .argument("session is NULL") }
        let options = try unsafe nf_options(optional: options, "options", defaults: .usual)
        unsafe session.pointee = try Handle.make(SessionHandle(options))
    }
}

/// Takes the next frame.
@c @implementation
public func nf_session_add(
    _ session: OpaquePointer!, _ frame: UnsafePointer<nf_image>!, _ tags: UnsafePointer<nf_tags>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let session = try unsafe Handle.object(session, SessionHandle.self, "session").session
        let tags = try unsafe nf_tags(optional: tags, "tags").tags()
        try unsafe session.add(nf_image(frame, "frame").pixels(name: tags.name), tags: tags)
    }
}

/// Takes the next raw frame.
@c @implementation
public func nf_session_add_raw(
    _ session: OpaquePointer!, _ frame: UnsafePointer<nf_raw>!, _ tags: UnsafePointer<nf_tags>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let session = try unsafe Handle.object(session, SessionHandle.self, "session").session
        let tags = try unsafe nf_tags(optional: tags, "tags").tags()
        try unsafe session.add(nf_raw(frame, "frame").mosaic(name: tags.name), tags: tags)
    }
}

/// Size of the picture to come.
@c @implementation
public func nf_session_picture_size(
    _ session: OpaquePointer!, _ width: UnsafeMutablePointer<Int32>!, _ height: UnsafeMutablePointer<Int32>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let session = try unsafe Handle.object(session, SessionHandle.self, "session").session
        guard let width = unsafe width, let height = unsafe height else { throw .argument("width or height is NULL") }
        guard let size = session.pictureSize else { throw .argument("no frame was added yet") }
        unsafe (width.pointee, height.pointee) = (Int32(clamping: size.width), Int32(clamping: size.height))
    }
}

/// Writes the picture.
@c @implementation
public func nf_session_finish(
    _ session: OpaquePointer!, _ output: UnsafePointer<nf_output>!, _ result: UnsafeMutablePointer<nf_result>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let handle = try unsafe Handle.object(session, SessionHandle.self, "session")
        let output = try unsafe nf_output(output, "output").pixels()
        if unsafe result != nil { try unsafe nf_result.check(result, "result") }
        let made = try handle.session.finish(into: output)
        handle.reports = made.frames
        unsafe nf_result(made).write(to: result)
    }
}

extension nf_result {
    fileprivate init(_ result: FusionResult) {
        self.init()
        (width, height) = (Int32(clamping: result.size.width), Int32(clamping: result.size.height))
        (reference, frame_count) = (Int32(clamping: result.reference), Int32(clamping: result.frames.count))
        noise = nf_noise(shot: result.noise.shot, read: result.noise.read)
        (effective_frames_mean, effective_frames_p10) = result.effectiveFrames
        brighten_amount = result.brightenAmount ?? -1
        (align_s, merge_s) = (result.seconds.align, result.seconds.merge)
        (denoise_s, finish_s) = (result.seconds.denoise, result.seconds.finish)
    }
}

/// What became of a frame.
@c @implementation
public func nf_session_frame(
    _ session: OpaquePointer!, _ index: Int32, _ report: UnsafeMutablePointer<nf_frame_report>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let handle = try unsafe Handle.object(session, SessionHandle.self, "session")
        try unsafe nf_frame_report.check(report, "report")
        guard let frames = handle.reports else { throw .argument("the session is not finished") }
        guard frames.indices ~= Int(index) else {
            throw .argument("the session had frames 0 to \(frames.count - 1), not \(index)")
        }
        let frame = frames[Int(index)]
        var out = nf_frame_report()
        out.used = frame.used ? 1 : 0
        (out.exposure_ratio, out.rotation_deg) = (frame.exposureRatio, frame.rotationDegrees)
        (out.shift_x, out.shift_y) = frame.shift
        (out.sharpness, out.weight) = (frame.sharpness, frame.weight)
        put(frame.reason ?? "", into: &out.reason)
        unsafe out.write(to: report)
    }
}

/// Stops the work.
@c @implementation
public func nf_session_cancel(_ session: OpaquePointer!) {
    unsafe Handle.object(session, SessionHandle.self)?.cancellation.cancel()
}

/// Ends a session.
@c @implementation
public func nf_session_destroy(_ session: OpaquePointer!) {
    unsafe Handle.destroy(session, SessionHandle.self)?.session.cancel()
}

/// A whole burst in one call.
@c @implementation
public func nf_fuse(
    _ options: UnsafePointer<nf_options>!, _ frames: UnsafePointer<nf_image>!, _ tags: UnsafePointer<nf_tags>!,
    _ count: Int, _ output: UnsafePointer<nf_output>!, _ result: UnsafeMutablePointer<nf_result>!,
    _ error: UnsafeMutablePointer<nf_error>!
) -> nf_status {
    unsafe told(error) { () throws(NightfuseError) in
        let session = try unsafe SessionHandle(nf_options(optional: options, "options", defaults: .usual)).session
        let output = try unsafe nf_output(output, "output").pixels()
        try output.check(name: "the output")
        if unsafe result != nil { try unsafe nf_result.check(result, "result") }
        // More frames than that were never shot: such a count is a negative number, or memory nobody set.
        guard 1...10_000 ~= count else { throw .argument("count is \(count); it must be 1 to 10000") }
        let images = try unsafe SizedArray(frames, "frames")
        let labels = unsafe tags == nil ? nil : try SizedArray(tags, "tags")
        for index in 0..<count {
            let tags = try unsafe nf_tags(optional: labels?.element(index), "tags").tags()
            let image = try unsafe nf_image(images.element(index), "frames").pixels(name: tags.name)
            try image.check(name: tags.name)
            if output.overlaps(image) { throw .argument("\(tags.name): frame \(index) and the output share memory") }
            try session.add(image, tags: tags)
        }
        unsafe nf_result(try session.finish(into: output)).write(to: result)
    }
}
