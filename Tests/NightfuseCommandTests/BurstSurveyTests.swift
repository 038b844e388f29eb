import NightfuseCommand
import NightfuseCore
import Testing

@Suite("Survey of a burst")
struct BurstSurveyTests {
    private func header(
        _ file: String, _ size: (Int, Int) = (40, 30), raw: Bool = false, colour: ColourSpace = .sRGB,
        product: Double? = nil
    ) -> FrameHeader {
        FrameHeader(
            file: file, width: size.0, height: size.1, isRaw: raw, colour: raw ? "raw" : colour.name,
            colourSpace: raw ? nil : colour, exposureProduct: product)
    }

    private func message(_ headers: FrameHeader...) -> String? {
        #expect(throws: NightfuseError.self) { try BurstSurvey(headers).check() }?.description
    }

    @Test func theOddOneIsWhatMostDifferFrom() {
        #expect(
            message(header("a", (50, 30)), header("b"), header("c"))
                == "a: is 50 x 30, the other frames are 40 x 30; a burst needs one size")
        #expect(
            message(header("a"), header("b", (30, 40)))
                == "b: is 30 x 40, the other frames are 40 x 30; a burst needs one size")
    }

    @Test func rawAndPicturesDoNotMix() {
        #expect(
            message(header("a", raw: true), header("b", raw: true), header("c.jpg"))
                == "c.jpg: is in colour, the other frames are raw; a burst needs one kind")
    }

    @Test func colourSpacesDoNotMix() {
        let wide = ColourSpace(name: "Display P3", toXYZ: .identity, transfer: .sRGB)
        #expect(
            message(header("a"), header("b", colour: wide), header("c"))
                == "b: is Display P3, the other frames are sRGB; a burst needs one colour space")
    }

    @Test func twoNamesOfOneColourSpaceMix() throws {
        let other = ColourSpace(name: "sRGB v4", toXYZ: ColourSpace.sRGB.toXYZ, transfer: .sRGB)
        #expect(throws: Never.self) { try BurstSurvey([header("a"), header("b", colour: other)]).check() }
    }

    @Test func theBaseExposureIsWhatMostFramesHaveAndTheShorterOnATie() {
        func base(_ products: Double?...) -> Double? {
            BurstSurvey(products.map { header("a", product: $0) }).baseExposureProduct
        }
        #expect(base(100, 400, 100, 400, 400) == 400)
        #expect(base(400, 100, 400, 100) == 100)
        #expect(base(400, 100.5, 100) == 100)
        #expect(base(nil, 50) == 50)
        #expect(base(nil, nil) == nil)
    }
}
