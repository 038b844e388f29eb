import Foundation
import NightfuseCodecs
import NightfuseCommand
import NightfuseCore
import Testing

/// The page of `--report`, by its bytes.
@Suite("Report")
struct ReportTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    private var out: String { folder.file("out.png") }
    private var report: String { folder.file("report.html") }

    private func run(_ words: [String]) -> CommandRun { CommandRun(words: words.map { Array($0.utf8) }) }

    private func frames(_ count: Int) throws -> [String] {
        try (1...count).map { try folder.png("\($0)&<b>.png", width: 160, height: 120, seed: UInt64($0), shift: $0) }
    }

    private func text() throws -> String { try String(contentsOfFile: report, encoding: .utf8) }

    @Test func fuseWritesOneSelfContainedPage() throws {
        let run = run(["fuse"] + (try frames(4)) + ["-o", out, "--report", report])
        #expect(run.status == 0 && run.error.isEmpty)
        let page = try text()
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        for outside in ["http://", "https://", "src=\"/", "url(http", "@import", "<link rel=\"stylesheet"] {
            #expect(!page.contains(outside), "\(outside)")
        }
        for heading in ["Before and after", "Frames", "The way the camera went", "Noise before", "Time"] {
            #expect(page.contains("<h2>\(heading)"), "\(heading)")
        }
        // Before, after, two maps and four frames.
        #expect(page.components(separatedBy: "<img ").count == 9)
        #expect(page.contains("1&amp;&lt;b&gt;.png") && !page.contains("&<b>"))
        // The maps were made for the page only.
        #expect(!FileManager.default.fileExists(atPath: folder.file("frames.png")))
    }

    @Test func aFrameLeftOutSaysWhy() throws {
        var files = try frames(3)
        files.append(try folder.write("bad.png", Array("x".utf8)))
        #expect(run(["fuse"] + files + ["-o", out, "--report", report]).status == 0)
        #expect(try text().contains("left out: cannot be read: is not a picture of a known kind"))
    }

    @Test func brightenHasBeforeAndAfter() throws {
        #expect(run(["brighten", try frames(1)[0], "-o", out, "--report", report]).status == 0)
        let page = try text()
        #expect(page.contains("<h2>Before and after") && !page.contains("<h2>Frames"))
        #expect(page.components(separatedBy: "<img ").count == 3)
    }

    @Test func planHasATimeline() throws {
        let words = ["plan"] + (try frames(4)) + ["--exposure", "1/30", "--iso", "800", "--fps", "30"]
        #expect(run(words + ["--report", report]).status == 0)
        let page = try text()
        for heading in ["Timeline", "Frames", "Scene", "Because"] { #expect(page.contains("<h2>\(heading)")) }
        #expect(page.contains("<title id=\"time-title\">Exposures along time"))
    }

    @Test func aReportThatCannotBeWrittenCostsNothingElse() throws {
        let files = try frames(2)
        let run = run(["fuse"] + files + ["-o", out, "--report", folder.file("none/report.html")])
        #expect(run.status == 1)
        #expect(run.error.hasPrefix("nightfuse: \(folder.file("none/report.html")): there is no folder"))
        #expect(run.errorLines.count == 1)
        #expect(FileManager.default.fileExists(atPath: out))
    }

    @Test func aReportNeverTakesThePlaceOfAFrameOrThePicture() throws {
        let files = try frames(2)
        let overFrame = run(["fuse"] + files + ["-o", out, "--report", files[1], "--force"])
        #expect(overFrame.status == 2 && overFrame.error.contains("is one of the frames"))
        let overPicture = run(["fuse"] + files + ["-o", out, "--report", out, "--force"])
        #expect(overPicture.status == 2 && overPicture.error.contains("cannot be both"))
        #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test func base64IsThatOfTheStandard() {
        for count in 0...20 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            #expect(String(decoding: base64(bytes), as: UTF8.self) == Data(bytes).base64EncodedString())
        }
    }

    /// WCAG 2.2: contrast of relative luminances.
    @Test func everyColourOfTextAndMarksHasItsContrast() throws {
        func luminance(_ colour: String) throws -> Double {
            let value = try #require(UInt32(colour.dropFirst(), radix: 16))
            let parts = [value >> 16 & 255, value >> 8 & 255, value & 255].map { part in
                let c = Double(part) / 255
                return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        func contrast(_ a: String, _ b: String) throws -> Double {
            let (x, y) = (try luminance(a), try luminance(b))
            return (max(x, y) + 0.05) / (min(x, y) + 0.05)
        }
        for (colours, least) in [(ReportPalette.texts, 7.0), (ReportPalette.marks, 4.5)] {
            for colour in colours {
                for surface in ReportPalette.surfaces {
                    for (fore, back) in zip(colour.all, surface.all) {
                        #expect(try contrast(fore, back) >= least, "\(colour.name) on \(surface.name): \(fore) \(back)")
                    }
                }
            }
        }
    }
}

/// The page in a real browser.
@Suite(
    "Report in a browser",
    .enabled(
        if: Browser.path != nil && Browser.isAskedFor,
        "wants Chromium (Debian: chromium) and NIGHTFUSE_BROWSER_TESTS=1, as tools/full-check sets it"),
    .serialized, .timeLimit(.minutes(3)))
struct ReportBrowserTests {
    private let folder: BurstFolder
    private let browser: Browser
    private let page: String

    init() throws {
        let folder = try BurstFolder()
        self.folder = folder
        let files = try (1...4).map { index in
            var edit = EXIFEdit(width: 160, height: 120)
            (edit.info.exposureSeconds, edit.info.iso) = (0.05, 1600)
            edit.info.date = "2026:01:02 03:04:05.\(index)"
            return try folder.png(
                "\(index).png", width: 160, height: 120, seed: UInt64(index), shift: index, exif: edit.make().bytes)
        }
        page = folder.file("report.html")
        let words = ["fuse"] + files + ["-o", folder.file("out.png"), "--report", page]
        let run = CommandRun(words: words.map { Array($0.utf8) })
        guard run.status == 0 else { throw Browser.Failure(reason: run.error) }
        browser = try Browser()
        try browser.open(page)
    }

    private func background() throws -> String {
        try browser.evaluate("getComputedStyle(document.documentElement).backgroundColor") as? String ?? ""
    }

    private let light = "rgb(244, 242, 238)"
    private let dark = "rgb(20, 20, 22)"

    @Test func theSystemsAppearanceIsFollowedLive() throws {
        try browser.emulate("light")
        #expect(try background() == light)
        try browser.emulate("dark")
        #expect(try background() == dark)
        try browser.emulate("dark", contrast: "more")
        #expect(try background() == "rgb(10, 10, 12)")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test func aChoiceOfAppearanceIsRemembered() throws {
        try browser.emulate("light")
        func choose(_ value: String) throws {
            try browser.evaluate("document.querySelector('input[name=appearance][value=\(value)]').click()")
        }
        func chosen() throws -> String? {
            try browser.evaluate("document.querySelector('input[name=appearance]:checked').value") as? String
        }
        try choose("dark")
        #expect(try background() == dark)
        try reopen(until: { try background() == dark })
        #expect(try background() == dark)
        #expect(try chosen() == "dark")
        try browser.emulate("dark")
        try choose("light")
        #expect(try background() == light)
        try choose("system")
        #expect(try background() == dark)
        try reopen(until: { try chosen() == "system" })
        #expect(try chosen() == "system")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    /// The browser keeps what a page stores a moment later than the page goes on; so again, for a second at most.
    private func reopen(until isThere: () throws -> Bool) throws {
        for _ in 0..<5 {
            try browser.open(page)
            if try isThere() { return }
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    @Test func theSliderTakesKeysMouseAndTouch() throws {
        func split() throws -> Double {
            let text =
                try browser.evaluate(
                    "document.querySelector('.stage').style.getPropertyValue('--split')") as? String
            return Double(text?.dropLast() ?? "") ?? -1
        }
        #expect(try split() == 50)
        try browser.evaluate("document.querySelector('.split').focus()")
        try browser.press("ArrowRight", code: 39)
        #expect(try split() == 51)
        try browser.press("Home", code: 36)
        #expect(try split() == 0)
        let place = try #require(
            try browser.evaluate(
                "(function(){var r=document.querySelector('.stage').getBoundingClientRect();"
                    + "return [r.left,r.width,r.top+r.height/2]})()") as? [Double])
        try browser.click(x: place[0] + place[1] * 0.7, y: place[2])
        #expect(abs(try split() - 70) <= 1)
        try browser.drag(fromX: place[0] + place[1] * 0.7, toX: place[0] + place[1] * 0.2, y: place[2])
        #expect(abs(try split() - 20) <= 2)
        let clip = try browser.evaluate("getComputedStyle(document.querySelector('.before')).clipPath") as? String
        #expect(clip?.contains("inset(0px calc(") == true || clip?.contains("%") == true, "\(clip ?? "")")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test func mapsAreLaidOverThePicture() throws {
        func shown(_ map: String) throws -> Bool {
            try browser.evaluate(
                "getComputedStyle(document.querySelector('.map-\(map)')).display!=='none'") as? Bool ?? false
        }
        #expect(try !shown("frames") && !shown("motion"))
        try browser.evaluate("document.getElementById('map-frames').click()")
        #expect(try shown("frames") && !shown("motion"))
        let covers = try browser.evaluate(
            "(function(){var a=document.querySelector('.map-frames').getBoundingClientRect(),"
                + "b=document.querySelector('.after img').getBoundingClientRect();"
                + "return Math.abs(a.width-b.width)<1&&Math.abs(a.height-b.height)<1})()")
        #expect(covers as? Bool == true)
    }

    /// Every text against what it stands on, as the browser works both out.
    @Test func everyTextCanBeRead() throws {
        for (scheme, contrast) in [
            ("light", "no-preference"), ("dark", "no-preference"), ("light", "more"), ("dark", "more"),
        ] {
            try browser.emulate(scheme, contrast: contrast)
            try expectReadableTexts(scheme + " " + contrast)
        }
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    private func expectReadableTexts(_ appearance: String) throws {
        let script = """
            (function(){
            function rgb(s){var m=s.match(/[\\d.]+/g).map(Number);return m.length>3?m:[m[0],m[1],m[2],1]}
            function lum(c){var v=c.slice(0,3).map(function(x){x/=255;return x<=0.04045?x/12.92:Math.pow((x+0.055)/1.055,2.4)});
            return 0.2126*v[0]+0.7152*v[1]+0.0722*v[2]}
            function back(e){for(;e;e=e.parentElement){var c=rgb(getComputedStyle(e).backgroundColor);if(c[3]>0.99)return c}
            return [255,255,255,1]}
            var found=[],count=0,walker=document.createTreeWalker(document.body,NodeFilter.SHOW_TEXT);
            while(walker.nextNode()){var node=walker.currentNode,e=node.parentElement;
            if(!node.data.trim()||['SCRIPT','STYLE','TITLE','DESC','title','desc'].includes(e.tagName))continue;
            if(!e.getClientRects().length)continue;
            var style=getComputedStyle(e),svg=e instanceof SVGElement;
            var a=lum(rgb(svg?style.fill:style.color)),b=lum(back(e));
            var ratio=(Math.max(a,b)+0.05)/(Math.min(a,b)+0.05);count++;
            if(ratio<7)found.push(node.data.trim()+' '+ratio.toFixed(2))}
            return JSON.stringify([count,found])})()
            """
        let answer = try #require(try browser.evaluate(script) as? String)
        let parts = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [Any])
        #expect(try #require(parts[0] as? Int) > 60)
        #expect((parts[1] as? [String])?.isEmpty == true, "\(appearance): \(parts[1])")
    }

    @Test func whoeverWantsLessMotionGetsNone() throws {
        func moving() throws -> Int? {
            try browser.evaluate(
                "Array.from(document.querySelectorAll('*')).filter(function(e){var s=getComputedStyle(e);"
                    + "return parseFloat(s.transitionDuration)>0||s.animationName!=='none'}).length") as? Int
        }
        try browser.emulate("light")
        #expect(try #require(try moving()) > 0)
        try browser.emulate("light", motion: "reduce")
        #expect(try moving() == 0)
    }

    @Test func nothingIsWiderThanAPhone() throws {
        try browser.evaluate("document.body.style.width='320px'")
        let wide = try browser.evaluate("document.body.scrollWidth") as? Int
        #expect(try #require(wide) <= 320)
    }

    @Test func withoutScriptsThePageStillReads() throws {
        try browser.setScripts(enabled: false)
        try browser.open(page)
        let script = """
            (function(){var a=document.querySelector('.before').getBoundingClientRect(),
            b=document.querySelector('.after').getBoundingClientRect();
            return [a.bottom<=b.top,getComputedStyle(document.querySelector('.split')).display,
            getComputedStyle(document.getElementById('appearance')).display].join(' ')})()
            """
        #expect(try browser.evaluate(script) as? String == "true none none")
    }
}
