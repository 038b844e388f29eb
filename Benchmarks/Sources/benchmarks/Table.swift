/// A table in plain text: the first column flush left, the others flush right.
struct Table {
    let head: [String]
    private var rows: [[String]] = []

    init(_ head: String...) { self.head = head }

    mutating func add(_ cells: String...) { rows.append(cells) }

    func show() {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        for (number, row) in all.enumerated() {
            var line = ""
            for (column, cell) in row.enumerated() {
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                line += column == 0 ? cell + gap : "  " + gap + cell
            }
            print(line)
            if number == 0 { print(String(repeating: "-", count: widths.reduce(0, +) + 2 * (widths.count - 1))) }
        }
        print("")
    }
}

/// A number with so many decimals.
func decimals(_ value: Double, _ places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    guard value.isFinite, abs(value) < 1e12 else { return "-" }
    let whole = Int((abs(value) * scale).rounded())
    let digits = String(whole)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let sign = value < 0 && whole != 0 ? "-" : ""
    return places == 0 ? sign + padded : sign + padded.dropLast(places) + "." + padded.suffix(places)
}

/// Seconds as milliseconds.
func milliseconds(_ seconds: Double) -> String { decimals(seconds * 1000, seconds < 0.1 ? 2 : 0) }

func mebibytes(_ bytes: Int) -> String { decimals(Double(bytes) / 1_048_576, 0) }
