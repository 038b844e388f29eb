import NightfuseCodecs
import NightfuseCore
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder of its own for a test; gone with it.
final class TemporaryFolder {
    let path: FilePath

    init() throws {
        var template = Array("/tmp/nightfuse-test-XXXXXX".utf8CString)
        let made = try #require(template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) })
        path = FilePath(String(cString: made))
    }

    deinit { system("rm -rf '\(path)'") }

    func file(_ name: String) -> FilePath { path.appending(Array(name.utf8)) }

    /// All that is in it, hidden files too.
    var names: [String] {
        guard let stream = opendir("\(path)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    @discardableResult func write(_ name: String, _ bytes: [UInt8]) throws -> FilePath {
        let output = try AtomicOutput(file(name), overwrite: true)
        try output.write(bytes)
        try output.commit()
        return file(name)
    }
}

@Suite struct FilePathTests {
    @Test func partsOfAPath() {
        let path = FilePath("/a/b.c/IMG.one.JPG")
        #expect(
            path.name == Array("IMG.one.JPG".utf8) && path.folder == FilePath("/a/b.c") && path.fileExtension == "jpg")
        #expect(FilePath("x").folder == FilePath(".") && FilePath("/x").folder == FilePath("/"))
        #expect(FilePath(".hidden").fileExtension == "" && FilePath("a.").fileExtension == "")
        #expect(FilePath("a/").appending([98]) == FilePath("a/b") && FilePath("a").appending([98]) == FilePath("a/b"))
    }

    @Test func messagesStayOnOneLine() {
        #expect("\(FilePath(bytes: Array("a\nb\u{1B}ü".utf8) + [0xFF, 0xC3]))" == "a\\x0ab\\x1bü\\xff\\xc3")
        #expect(FilePath(bytes: [97, 0, 98]).bytes == [97])
    }

    @Test func namesAreOrderedAsPeopleCount() throws {
        let folder = try TemporaryFolder()
        let names = [
            "IMG_1.png", "img_2.png", "img_2b.png", "IMG_10.png", "img_010.png", "img_11.png", "Z.png", "ä.png",
        ]
        for name in names.shuffled() { try folder.write(name, []) }
        #expect(try FileAccess.pictures(in: folder.path).map { String(decoding: $0.name, as: UTF8.self) } == names)
    }
}

@Suite struct FileAccessTests {
    @Test func aFolderGivesItsPicturesAndNothingElse() throws {
        let folder = try TemporaryFolder()
        let png = try pngWith(exif: [])
        // Named as a picture, or one by content; neither hidden, nor text, nor a folder.
        for (name, bytes) in [
            ("a.jpg", [1, 2]), ("b", png), ("c.txt", [65, 66]), (".d.png", png), ("e.heic", []),
            ("f.bin", [0xFF, 0xD8, 0xFF, 0xE0]),
        ] { try folder.write(name, bytes) }
        mkdir("\(folder.file("g.png"))", 0o755)
        mkfifo("\(folder.file("h.png"))", 0o644)
        let found = try FileAccess.pictures(in: folder.path).map { String(decoding: $0.name, as: UTF8.self) }
        #expect(found == ["a.jpg", "b", "e.heic", "f.bin"])
        #expect(throws: NightfuseError.self) { try FileAccess.pictures(in: folder.file("missing")) }
    }

    @Test func namesThatAreNoTextAreOpened() throws {
        let folder = try TemporaryFolder()
        let odd = folder.path.appending([0x2D, 0xFF, 0x0A, 0x2E, 0x70, 0x6E, 0x67])
        let output = try AtomicOutput(odd, overwrite: false)
        try output.write([7, 8])
        try output.commit()
        #expect(try FileAccess.pictures(in: folder.path) == [odd])
        #expect(try FileAccess.read(odd, limits: Limits()) == [7, 8])
    }

    @Test func onlyRegularFilesAreRead() throws {
        let folder = try TemporaryFolder()
        mkfifo("\(folder.file("pipe"))", 0o644)
        for path in [folder.path, folder.file("pipe"), FilePath("/dev/zero"), folder.file("missing")] {
            let error = #expect(throws: NightfuseError.self) { try FileAccess.read(path, limits: Limits()) }
            #expect(error.map { "\($0)".contains("\(path)") } == true)
        }
        var small = Limits()
        small.memoryBytes = 3
        let file = try folder.write("four", [1, 2, 3, 4])
        #expect(throws: NightfuseError.self) { try FileAccess.read(file, limits: small) }
        #expect(try FileAccess.readStart(file, count: 2) == [1, 2])
        #expect(try FileAccess.readStart(file, count: 9) == [1, 2, 3, 4])
    }

    @Test func memoryOfAFileIsUsedForTheNext() throws {
        let folder = try TemporaryFolder()
        let long = try folder.write("long", [UInt8](1...200))
        var bytes: [UInt8] = []
        try FileAccess.read(long, limits: Limits(), into: &bytes)
        #expect(bytes == [UInt8](1...200))
        let place = bytes.withUnsafeBufferPointer { $0.baseAddress }
        // Shorter, as long, a little longer: in the same memory.
        for count in [UInt8(3), 200, 0, 205] {
            let next = (0..<count).map { 255 - $0 }
            try FileAccess.read(folder.write("next\(count)", next), limits: Limits(), into: &bytes)
            #expect(bytes == next)
            if count > 0 && count < 201 { #expect(bytes.withUnsafeBufferPointer { $0.baseAddress } == place) }
        }
        #expect(throws: NightfuseError.self) {
            try FileAccess.read(folder.file("missing"), limits: Limits(), into: &bytes)
        }
    }

    @Test func theHeadOfAPNGSaysWhatTheWholeSays() throws {
        let folder = try TemporaryFolder()
        var fixture = PNGFixture(width: 5, height: 4, colour: 2, rows: .init(repeating: .init(1...15), count: 4))
        fixture.chunks = [("gAMA", big(45455)), ("tEXt", .init(repeating: 65, count: 300))]
        let whole = fixture.bytes
        // EXIF may stand behind the pixels, which come in two pieces here.
        let end = whole.count - 12
        let exif = PNGFixture.chunk("eXIf", EXIFFixture.camera(little: true).bytes)
        let pieces = PNGFixture.chunk("IDAT", []) + exif
        let late = Array(whole[..<end]) + pieces + Array(whole[end...])
        var limits = Limits()
        limits.metadataBytes = 4000
        for (name, bytes) in [("a", whole), ("b", late), ("c", try pngWith(exif: [1, 2, 3]))] {
            let path = try folder.write(name, bytes)
            let head = try FileAccess.readPNGHead(path, limits: limits)
            let short = try PictureHeader(head, name: name, limits: limits)
            let full = try PictureHeader(bytes, name: name, limits: limits)
            #expect(short.width == full.width && short.height == full.height && short.isGrey == full.isGrey)
            #expect(short.info == full.info && short.colour.name == full.colour.name)
        }
        let head = try FileAccess.readPNGHead(folder.file("b"), limits: limits)
        let header = try PictureHeader(head, name: "b", limits: limits)
        #expect(head.count < late.count && header.info.iso == 3200)
        // Too large to count, cut off at every byte, no PNG at all: as far as it goes.
        limits.metadataBytes = 40
        #expect(try FileAccess.readPNGHead(folder.file("b"), limits: limits).count < 160)
        for count in 0..<late.count {
            let cut = try folder.write("cut\(count)", Array(late[..<count]))
            #expect(try FileAccess.readPNGHead(cut, limits: limits).count <= count + 12)
        }
    }

    @Test func linksLeadToTheSameFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a", [1])
        symlink("a", "\(folder.file("b"))")
        #expect(FileAccess.isSame(file, folder.file("b")) && !FileAccess.isSame(file, folder.path))
        #expect(!FileAccess.isSame(file, folder.file("missing")))
    }

    @Test func theMachineHasMemory() {
        #expect(FileAccess.machineMemory > 64 << 20 && FileAccess.machineMemory < 1 << 50)
    }
}

@Suite struct AtomicOutputTests {
    @Test(arguments: [AtomicOutput.Disguise.unnamed, .hidden])
    func theFileAppearsWholeOrNotAtAll(disguise: AtomicOutput.Disguise) throws {
        let folder = try TemporaryFolder()
        let target = folder.file("out.png")
        do {
            let output = try AtomicOutput(target, overwrite: false, until: disguise)
            try output.write([1, 2])
            #expect(FileAccess.kind(target) == .nothing)
        }
        #expect(folder.names.isEmpty, "given up: nothing stays")
        let output = try AtomicOutput(target, overwrite: false, until: disguise)
        try output.write([1, 2])
        try output.write([3])
        try output.commit()
        #expect(folder.names == ["out.png"])
        #expect(try FileAccess.read(target, limits: Limits()) == [1, 2, 3])
    }

    @Test(arguments: [AtomicOutput.Disguise.unnamed, .hidden])
    func whatStandsThereIsReplacedOnlyByForce(disguise: AtomicOutput.Disguise) throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("out", [9])
        chmod("\(target)", 0o600)
        #expect(throws: NightfuseError.self) { try AtomicOutput(target, overwrite: false, until: disguise) }
        let output = try AtomicOutput(target, overwrite: true, until: disguise)
        try output.write([1])
        #expect(try FileAccess.read(target, limits: Limits()) == [9])
        try output.commit()
        #expect(try FileAccess.read(target, limits: Limits()) == [1] && folder.names == ["out"])
        var status = stat()
        stat("\(target)", &status)
        #expect(status.st_mode & 0o777 == 0o600, "who may read it is as before")
    }

    @Test(arguments: [AtomicOutput.Disguise.unnamed, .hidden])
    func whatAppearsMeanwhileIsNotReplaced(disguise: AtomicOutput.Disguise) throws {
        let folder = try TemporaryFolder()
        let output = try AtomicOutput(folder.file("out"), overwrite: false, until: disguise)
        try output.write([1])
        try folder.write("out", [5])
        #expect(throws: NightfuseError.self) { try output.commit() }
        #expect(try FileAccess.read(folder.file("out"), limits: Limits()) == [5] && folder.names == ["out"])
    }

    @Test func aLinkStaysAndItsTargetIsReplaced() throws {
        let folder = try TemporaryFolder()
        try folder.write("real", [9])
        symlink("real", "\(folder.file("link"))")
        try folder.write("link", [1])
        #expect(try FileAccess.read(folder.file("real"), limits: Limits()) == [1])
        var status = stat()
        lstat("\(folder.file("link"))", &status)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func aLinkThatLeadsNowhereStandsThereAllTheSame() throws {
        let folder = try TemporaryFolder()
        let link = folder.file("link")
        symlink("nowhere", "\(link)")
        #expect(throws: NightfuseError.argument("\(link): exists already (--force overwrites it)")) {
            try AtomicOutput(link, overwrite: false)
        }
    }

    @Test func badTargetsAreRefusedBeforeTheWork() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path, FilePath("/dev/null"), folder.file("no/folder/out")] {
            let error = #expect(throws: NightfuseError.self) { try AtomicOutput(path, overwrite: true) }
            #expect(error.map { "\($0)".hasPrefix("\(path): ") } == true)
        }
    }

    @Test func aFullDiskIsSaidAndLeavesNothing() throws {
        // A limit on the size of files is the disk that a test can fill.
        let folder = try TemporaryFolder()
        let output = try AtomicOutput(folder.file("out"), overwrite: false, until: .hidden)
        var old = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        getrlimit(resource, &old)
        signal(SIGXFSZ, SIG_IGN)
        var small = rlimit(rlim_cur: 1000, rlim_max: old.rlim_max)
        setrlimit(resource, &small)
        let error = #expect(throws: NightfuseError.self) { try output.write([UInt8](repeating: 1, count: 2000)) }
        setrlimit(resource, &old)
        output.discard()
        #expect(error.map { "\($0)".hasPrefix("\(folder.file("out")): ") } == true && folder.names.isEmpty)
    }

    @Test func hiddenFilesCanBeRemovedFromASignalHandler() async {
        // In a process of its own: the registry is the process's.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let outputs = try ["a", "b"].map { try AtomicOutput(folder.file($0), overwrite: false, until: .hidden) }
            try folder.write("kept", [1])
            guard folder.names.count == 3 else { exit(2) }
            AtomicOutput.removeAllTemporaries()
            let left = folder.names
            withExtendedLifetime(outputs) {}
            guard left == ["kept"] else { exit(3) }
        }
    }
}
