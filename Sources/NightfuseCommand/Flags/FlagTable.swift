extension Flag {
    /// Every flag there is. Order is the order of help.
    package static let table: [Flag] = [
        // MARK: What is made
        Flag(
            "--output", short: "-o", .output(endings: ["png", "jpg", "jpeg", "dng"]), as: "OUT",
            "the picture to write; its ending says the format",
            """
            Where the result goes. The ending of the name chooses the format: .png, .jpg or .jpeg, and for raw frames \
            .dng (a merged raw file). The file appears whole or not at all; an existing one is kept unless --force is \
            given.
            """, verbs: [.fuse, .brighten]),
        Flag(
            "--look", .choice(["night", "natural", "none"]), standard: "night",
            "how the picture is finished",
            """
            night lifts shadows and holds lamps, as far as it still looks like night. natural keeps the reference \
            frame's brightness, makes the white balance neutral and rolls lamps off. none keeps the exposure, white \
            balance and tone curve of the reference frame: the same picture, only cleaner.
            """, verbs: [.fuse]),
        Flag(
            "--brightness", .number(-8...8, unit: "EV"), as: "EV", standard: "0",
            "brighter or darker than the look makes it",
            """
            Stops by which the finished picture is made brighter (above 0) or darker (below 0). With --look none it \
            scales linear light.
            """, verbs: [.fuse]),
        Flag(
            "--amount", .number(0...1, unit: ""), as: "A", standard: "chosen from the picture",
            "how much light is given",
            """
            0 leaves the brightness as it is, 1 gives all the light that noise and lamps allow. Without it the amount \
            follows how dark the picture is.
            """, verbs: [.brighten]),
        Flag(
            "--strength", .number(0...2, unit: ""), as: "S", standard: "1",
            "noise reduction: 0 none, 1 as measured, 2 strong",
            """
            How much of the noise that is left is taken out, in units of the noise that was measured: 0 merges the \
            frames and nothing else, 1 trusts the measurement, 2 is smoother and loses fine texture.
            """, verbs: [.fuse, .brighten]),
        Flag(
            "--reference", .choiceOrInteger(["auto"], 0...Int.max), as: "INDEX", standard: "auto",
            "the frame that others are aligned to, from 0",
            """
            The frame whose view, size and moment the result has: its number in the order given, from 0. auto takes \
            the sharpest of the first three usable frames of the base exposure.
            """, verbs: [.fuse]),
        Flag(
            "--quality-mode", .choice(["fast", "best"]), standard: "fast",
            "one pass, or every frame weighed and a second pass",
            """
            fast touches each frame once. best lets every frame be the reference and may go over the frames a second \
            time.
            """, verbs: [.fuse]),
        Flag(
            "--bits", .choice(["8", "16"]), standard: "16 where a frame has more than 8, else 8",
            "bits of a sample in a PNG",
            """
            8 or 16 bits for each sample of a PNG. By default 16 where any frame has more than 8 bits, else 8. A JPEG \
            always has 8.
            """, verbs: [.fuse, .brighten]),
        Flag(
            "--quality", .integer(1...100), as: "Q", standard: "95",
            "quality of a JPEG",
            "The quality of a JPEG, from 1 (smallest) to 100 (best).", verbs: [.fuse, .brighten]),
        Flag(
            "--strip-location", .toggle,
            "leave out where it was taken",
            "Leaves the GPS tags out of the result. Without it they are kept, as all other tags are.",
            verbs: [.fuse, .brighten]),
        Flag(
            "--maps", .folder, as: "FOLDER",
            "also write maps of what was merged",
            """
            Writes two grey PNG files into FOLDER: frames.png (16 bit, 256 stands for one effective frame) and \
            motion.png (8 bit, 255 where nothing agreed with the reference).
            """, verbs: [.fuse]),

        Flag(
            "--report", .output(endings: ["html"]), as: "FILE.html",
            "also write a page that shows what was done",
            """
            Writes one self-contained HTML page: before and after, the frames and what became of each, the way the \
            camera went, maps, noise and times; of a plan its timeline and reasons. A page that cannot be written \
            costs nothing else: the result is written all the same, and the exit status is 1.
            """, verbs: [.fuse, .plan, .brighten]),

        // MARK: What is planned
        Flag(
            "--device", .file(endings: ["json"]), as: "FILE.json",
            "limits and noise of the camera",
            """
            A JSON file with the camera's limits and noise: exposure_s, handheld_exposure_s, iso, max_frames, \
            frame_gap_s, frame_width, frame_height, noise. Every key has a default.
            """, verbs: [.plan]),
        Flag(
            "--max-time", .number(0.01...3600, unit: "seconds"), as: "SECONDS",
            standard: "the planner's choice, at most 3 hand-held and 10 steady",
            "longest time from the first frame's start to the last one's end",
            """
            The plan takes no longer than this, gaps between frames included. It takes less where more would not be \
            seen.
            """, verbs: [.plan]),
        Flag(
            "--steady", .choice(["auto", "yes", "no"]), standard: "auto",
            "whether the camera stands still",
            "auto finds out from the preview; yes is for a tripod or a shelf; no is for the hand.", verbs: [.plan]),
        Flag(
            "--exposure", .number(1e-6...3600, unit: "seconds"), as: "S",
            "exposure time of the preview frames, where EXIF lacks it",
            "Exposure time of each preview frame, for files that do not say it. 1/30 is read as well as 0.0333.",
            verbs: [.plan]),
        Flag(
            "--iso", .number(1...10_000_000, unit: ""), as: "N",
            "ISO of the preview frames, where EXIF lacks it",
            "ISO speed of each preview frame, for files that do not say it.", verbs: [.plan]),
        Flag(
            "--fps", .number(0.1...1000, unit: "frames per second"), as: "F",
            "frames a second of the preview, where EXIF lacks times",
            "The pace of the preview frames, for files without a date and sub-seconds.", verbs: [.plan]),

        // MARK: Common
        Flag(
            "--json", .toggle, "print one JSON document instead of text",
            "Prints one JSON document on standard output and nothing else there.", verbs: VerbName.working),
        Flag(
            "--quiet", short: "-q", .toggle, "errors only: no progress, summary or warnings",
            "Prints errors only. With --json the document is still printed.", verbs: VerbName.working),
        Flag(
            "--threads", .integer(1...1024), as: "N", standard: "all cores",
            "threads to use at most",
            "The most threads that work at once. The result has the same bits whatever their number.",
            verbs: VerbName.working),
        Flag(
            "--max-memory", .size((1 << 20)...(1 << 50)), as: "SIZE", standard: "half of the machine's",
            "most memory to use: 512M, 2G",
            """
            The most memory to hold at once, in bytes or with K, M or G. Frames that would need more are fused with less \
            memory and more time, to the same picture; below that, their pixels live in files without a name beside OUT, \
            or where TMPDIR points, while the run lasts. What would need more even so is refused before any of it is \
            decoded.
            """, verbs: VerbName.working),
        Flag(
            "--strict", .toggle, "stop at the first frame that cannot be read",
            """
            A frame that cannot be read ends the run. Without it the frame is left out, with a warning, as long as \
            one is left.
            """, verbs: VerbName.working),
        Flag(
            "--force", .toggle, "overwrite what is there",
            "Overwrites OUT and other files to write. Without it an existing one is refused before any work is done.",
            verbs: VerbName.working),
        Flag(
            "--help", short: "-h", .toggle, "this help", "Prints the help of the verb.", verbs: VerbName.allCases),
    ]
}
