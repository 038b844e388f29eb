extension Verb {
    /// Every verb there is. Order is the order of help.
    package static let table: [Verb] = [
        Verb(
            name: .fuse, operands: "FRAME|FOLDER... -o OUT", operandCount: 1...Int.max,
            summary: "make one picture of a burst",
            paragraphs: [
                """
                Frames of one scene, taken one after the other, are aligned, merged and finished: less noise than \
                any of them, and what moved is not doubled. One frame alone is cleaned and finished.
                """,
                """
                A folder stands for the pictures in it, in natural order of their names. PNG, JPEG and DNG are read; \
                what a file is follows its content. All frames need one size and one colour space.
                """,
            ],
            examples: [
                Example("A folder of frames into a JPEG", "nightfuse fuse burst/ -o night.jpg"),
                Example("Only cleaner, nothing brightened", "nightfuse fuse *.jpg -o clean.png --look none"),
                Example("Raw frames into a merged raw", "nightfuse fuse raw/*.dng -o merged.dng"),
                Example(
                    "A stop brighter, smoother", "nightfuse fuse burst/ -o night.jpg --brightness 1 --strength 1.5"),
                Example("What was merged where", "nightfuse fuse burst/ -o night.png --maps maps --json"),
            ]),
        Verb(
            name: .plan, operands: "PREVIEW|FOLDER...", operandCount: 1...Int.max,
            summary: "tell from preview frames what to shoot",
            paragraphs: [
                """
                Measures how the camera and the subject move, how deep the shadows lie and how much light there is, \
                and splits the time into frames: exposure times, ISO, and why.
                """
            ],
            examples: [
                Example("From the preview frames in a folder", "nightfuse plan preview/"),
                Example("For a camera, as JSON to shoot from", "nightfuse plan preview/ --device phone.json --json"),
                Example("On a tripod, up to 8 seconds", "nightfuse plan preview/ --steady yes --max-time 8"),
                Example(
                    "Files without EXIF", "nightfuse plan preview/*.png --exposure 1/30 --iso 3200 --fps 30"),
            ]),
        Verb(
            name: .brighten, operands: "PHOTO -o OUT", operandCount: 1...1,
            summary: "give light to a picture already taken",
            paragraphs: [
                """
                Opens the shadows of one dark photograph and takes out the noise that this would show; colours and \
                lamps are kept. How much light it gets follows how dark it is; one that is not dark comes back nearly \
                as it was.
                """
            ],
            examples: [
                Example("As much light as it lacks", "nightfuse brighten dark.jpg -o bright.jpg"),
                Example("Half of the way to day", "nightfuse brighten dark.jpg -o bright.png --amount 0.5"),
                Example("With its grain kept", "nightfuse brighten dark.jpg -o bright.jpg --strength 0.3"),
            ]),
        Verb(
            name: .inspect, operands: "FRAME|FOLDER...", operandCount: 1...Int.max,
            summary: "tell what each frame is",
            paragraphs: [
                """
                Size, format, exposure, ISO and date of each file, and where the frames are one burst: sharpness, \
                shift against the reference, and how much of each could be merged. Nothing is written.
                """
            ],
            examples: [
                Example("A table of the frames", "nightfuse inspect burst/"),
                Example("The same for a program", "nightfuse inspect burst/ --json"),
                Example("What a raw file holds", "nightfuse inspect shot.dng"),
            ]),
        Verb(
            name: .compare, operands: "PICTURE TRUTH", operandCount: 2...2,
            summary: "measure how near one picture is to another",
            paragraphs: [
                """
                PSNR over all samples, SSIM (7 x 7 windows, mean over the colours) and the sharpness ratio at the \
                strongest edges of TRUTH (1: as sharp), all on sRGB-coded values.
                """
            ],
            examples: [
                Example("Against a clean picture", "nightfuse compare night.png truth.png"),
                Example("As JSON", "nightfuse compare night.png truth.png --json"),
            ]),
        Verb(
            name: .doctor, operands: "", operandCount: 0...0,
            summary: "tell what this machine and build can do",
            paragraphs: [
                "Version, instruction level, libraries and their versions, threads, memory and limits, for bug reports."
            ],
            examples: [Example("Everything on one page", "nightfuse doctor")]),
        Verb(
            name: .help, operands: "[VERB]", operandCount: 0...1,
            summary: "explain a verb, examples first", paragraphs: [],
            examples: [
                Example("What there is", "nightfuse help"), Example("All about one verb", "nightfuse help fuse"),
            ]),
        Verb(
            name: .manual, operands: "", operandCount: 0...0, summary: "print the manual page (roff)", paragraphs: [],
            examples: []),
        Verb(
            name: .completion, operands: "", operandCount: 0...0, summary: "print the completion for bash",
            paragraphs: [], examples: []),
    ]

    static func named(_ name: VerbName) -> Verb? { table.first { $0.name == name } }
}
