/// Columns of text, as wide as what stands in them, two spaces apart.
struct Table {
    enum Alignment { case left, right }

    private let heads: [(title: String, alignment: Alignment)]
    private let rows: [[String]]

    /// - Parameter rows: each as long as `heads`.
    init(_ heads: [(String, Alignment)], rows: [[String]]) {
        self.heads = heads.map { (title: $0.0, alignment: $0.1) }
        self.rows = rows
    }

    var lines: [String] {
        let widths = heads.indices.map { column in
            rows.reduce(heads[column].title.count) { max($0, $1[column].count) }
        }
        return ([heads.map(\.title)] + rows).map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += (column == 0 ? "" : "  ") + (heads[column].alignment == .left ? cell + padding : padding + cell)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
