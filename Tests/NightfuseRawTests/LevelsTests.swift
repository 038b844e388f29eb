import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: levels")
struct LevelsTests {
    @Test("A black level for each cell of its pattern, plane last")
    func pattern() throws {
        var file = RawSample(mosaic: [Int](repeating: 100, count: 24), width: 6)
        file.raw[50713] = .short([2, 3])
        file.raw[50714] = .rational([1, 1, 5, 2, 3, 1, 4, 1, 5, 1, 6, 1])
        file.raw[50717] = .short([4000])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.black == [1, 2.5, 3, 4, 5, 6])
        #expect(frame.blackRows == 2)
        #expect(frame.blackColumns == 3)
        #expect(frame.white == [4000])
    }

    @Test("One black level stands for all cells; none is zero")
    func oneLevel() throws {
        var file = RawSample(mosaic: [Int](repeating: 100, count: 4), width: 2)
        #expect(try DNGReader.read(file.build(), name: "a.dng").black == [0])
        file.raw[50713] = .short([2, 2])
        file.raw[50714] = .short([64])
        #expect(try DNGReader.read(file.build(), name: "a.dng").black == [64, 64, 64, 64])
    }

    @Test("The linearisation table maps every code, those past its end to its last value")
    func table() throws {
        var file = RawSample(mosaic: [0, 1, 2, 3, 900, 65535], width: 2)
        file.raw[50712] = .short([5, 10, 1000, 4095])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.samples == [5, 10, 1000, 4095, 4095, 4095])
        #expect(frame.white == [4095])
    }

    @Test("Deltas of columns and rows leave the linear signal as DNG defines it")
    func deltas() throws {
        let samples = [300, 410, 520, 300, 400, 1000]
        var file = RawSample(mosaic: samples, width: 3)
        file.raw[50714] = .short([200])
        file.raw[50717] = .short([1000])
        file.raw[50715] = .srational([0, 1, 5, 2, -30, 1])
        file.raw[50716] = .srational([10, 1, -1, 4])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        let (black, white) = (try #require(frame.black.first), try #require(frame.white.first))
        // (sample - black) / (white - highest black), samples and levels kept to a 1/64 of a code.
        let (deltaH, deltaV) = ([0, 2.5, -30], [10, -0.25])
        for (i, sample) in samples.enumerated() {
            let expected = (Double(sample) - 200 - deltaH[i % 3] - deltaV[i / 3]) / (1000 - 200 - 2.5 - 10)
            let got = (Double(frame.samples[i]) - black) / (white - black)
            #expect(abs(got - min(expected, (65535 - black) / (white - black))) < 1.0 / 64 / 787.5, "sample \(i)")
        }
    }

    @Test("Deltas after the table, over the active area only")
    func deltasOfActiveArea() throws {
        var file = RawSample(mosaic: [9, 9, 9, 9, 1, 2, 9, 3, 4], width: 3)
        file.raw[50829] = .short([1, 1, 3, 3])
        file.raw[50712] = .short([0, 10, 20, 30, 40])
        file.raw[50717] = .short([65535])
        file.raw[50715] = .srational([4, 1, 0, 1])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.black == [4])
        #expect(frame.samples == [10, 24, 30, 44])
    }

    @Test(
        "Levels that make no sense are refused",
        arguments: [
            (50713, TagValue.short([0, 2])), (50713, .short([2])), (50713, .short([65, 1])),
            (50714, .short([1, 2, 3])),
            (50714, .rational([1, 0])), (50717, .short([0])), (50717, .long([70000])), (50715, .srational([1, 1])),
            (50716, .srational([1, 0, 1, 1])), (50712, .long([70000])), (50715, .srational([66_000, 1, 0, 1])),
        ] as [(Int, TagValue)])
    func nonsense(tag: Int, value: TagValue) throws {
        var file = RawSample(mosaic: [1, 2, 3, 4], width: 2)
        file.raw[tag] = value
        let error = #expect(throws: NightfuseError.self) { try DNGReader.read(file.build(), name: "a.dng") }
        #expect(error?.description.contains("\(tag == 50714 || tag == 50717 ? "" : "(\(tag)")") == true)
    }

    @Test("NoiseProfile: one for all colours, or one each; the offset is a variance")
    func noise() throws {
        var file = RawSample(mosaic: [1, 2, 3, 4], width: 2)
        #expect(try DNGReader.read(file.build(), name: "a.dng").noise == [])
        file.raw[51041] = .double([0.001, 0.0004])
        #expect(try DNGReader.read(file.build(), name: "a.dng").noise == [NoiseModel(shot: 0.001, read: 0.02)])
        file.raw[51041] = .double([0.001, 0.0004, 0.002, 0, 0.003, -1e-9])
        #expect(
            try DNGReader.read(file.build(), name: "a.dng").noise == [
                NoiseModel(shot: 0.001, read: 0.02), NoiseModel(shot: 0.002, read: 0),
                NoiseModel(shot: 0.003, read: 0),
            ])
        file.raw[51041] = .double([.nan, 0.0004])
        #expect(try DNGReader.read(file.build(), name: "a.dng").noise == [])
    }
}
