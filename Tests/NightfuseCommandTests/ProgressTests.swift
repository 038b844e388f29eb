import NightfuseCommand
import Testing

@Suite("Progress")
struct ProgressTests {
    @Test func theLineFitsAnyTerminal() {
        for columns in 1...120 {
            for left in [nil, 3.2, 100, 5000, 1e12] {
                for frames in [nil, (3, 8), (39, 40)] {
                    for stage in ["align", "denoise"] {
                        let line = ProgressBar.line(stage, 0.4, frames, left, columns: columns)
                        #expect(line.count < max(columns, 1) || line.isEmpty, "\(columns): \(line)")
                    }
                }
            }
        }
    }

    @Test func twentyColumnsHoldStageFramesAndTime() {
        #expect(ProgressBar.line("align", 0.4, (3, 8), 12, columns: 20) == "align 3/8 12 s")
    }

    @Test func aWideTerminalGetsABar() {
        let line = ProgressBar.line("align", 0.5, (4, 8), 7, columns: 80)
        #expect(line == "[###############---------------] align 4/8 7 s left")
    }
}
