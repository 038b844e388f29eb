import NightfuseCore
import Testing

@Suite("Errors")
struct NightfuseErrorTests {
    @Test(arguments: [
        NightfuseError.file("a\nb", "is\r\nbroken"), .argument("a\u{85}b"), .limit("a\u{2028}b"),
        .unsupported("a", "made by X\u{7}\u{1B}[2J"), .system("", "a\tb"),
    ])
    func areOneLineWhateverWordsOfAFileStandInThem(error: NightfuseError) {
        #expect(!error.description.contains { $0.isNewline })
        #expect(!error.description.unicodeScalars.contains { $0.value < 32 })
    }

    @Test func otherWordsStandAsTheyAre() {
        #expect(NightfuseError.file("é/ñ.png", "is 5 % too \u{1F30C}").description == "é/ñ.png: is 5 % too \u{1F30C}")
        #expect(NightfuseError.argument("a\nb").description == "a\\nb")
    }
}
