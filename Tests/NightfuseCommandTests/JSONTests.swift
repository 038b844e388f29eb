import Foundation
import NightfuseCommand
import Testing

@Suite("JSON")
struct JSONTests {
    @Test func aDocumentComesBackAsItWasWritten() throws {
        let value = JSONValue.object([
            "text": .string("a\"b\\c\n\u{1}\u{E9}\u{1F30C}"), "list": .array([.integer(1), .number(0.5), .null]),
            "empty": .object([:]), "none": .array([]), "yes": .bool(true), "large": .number(1.5e300),
            "small": .number(1.25e-9), "negative": .number(-3.25),
        ])
        #expect(try JSONParser.parse(Array(value.document.utf8)) == value)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(value.document.utf8)) }
    }

    @Test(arguments: [
        (0.1 + 0.2, "0.3"), (1.0 / 3, "0.333333"), (12_345.678, "12345.7"), (0, "0.0"), (-1, "-1.0"), (-1e-308, "0.0"),
        (.nan, "null"), (.infinity, "null"), (1.0 / 3e6, "3.33333e-07"), (123_456_789, "123456789.0"),
    ])
    func numbersKeepSixDigits(number: Double, text: String) {
        #expect(JSONValue.array([.number(number)]).document == "[\(text)]\n")
    }

    @Test(arguments: [
        ("", 1, "the text ends too early"), ("{", 1, "a key in quotes was expected"),
        ("[1,\n2,\n]", 3, "a value was expected"), ("[1 2]", 1, "a comma or a closing bracket was expected"),
        ("{\"a\" 1}", 1, "a colon was expected after 'a'"), ("{\"a\":1,\"a\":2}", 1, "'a' stands twice"),
        ("[01]", 1, "a value was expected"), ("[1.]", 1, "digits were expected after the point"),
        ("[1e]", 1, "digits were expected in the exponent"), ("[1e999]", 1, "the number 1e999 is too large"),
        ("\"a", 1, "text has no closing quote"), ("\"\\x\"", 1, "an unknown escape stands in text"),
        ("\"\\ud800\"", 1, "half a surrogate pair"), ("\"\u{1}\"", 1, "a control character stands in text"),
        ("1 2", 1, "something follows the document"), ("nul", 1, "a value was expected"),
        (String(repeating: "[", count: 100_000), 1, "more than 64 levels deep"),
    ])
    func whatIsNoJSONIsRefusedWithItsLine(text: String, line: Int, reason: String) {
        #expect(throws: JSONError(line: line, reason: reason)) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test func textThatIsNoUTF8IsRefused() {
        #expect(throws: JSONError(line: 1, reason: "text is not UTF-8")) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test func surrogatePairsAreOneCharacter() throws {
        #expect(try JSONParser.parse(Array(#""\ud83c\udf0c\u00e9""#.utf8)) == .string("\u{1F30C}\u{E9}"))
    }
}
