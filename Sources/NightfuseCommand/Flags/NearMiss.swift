/// The word among `words` that `word` was probably meant to be, or nil. A swap of neighbours counts as one slip; a
/// third of the letters may be wrong, at least one.
package func nearest(to word: String, among words: [String]) -> String? {
    let allowed = max(1, word.count / 3)
    let found = words.map { (word: $0, slips: slips(word, $0)) }.min { $0.slips < $1.slips }
    if let found, found.slips <= allowed { return found.word }
    // What was begun and not finished: `--bright` for `--brightness`.
    let begun = words.filter { $0.hasPrefix(word) && word.count > 3 }
    return begun.count == 1 ? begun[0] : nil
}

/// Fewest insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
func slips(_ a: String, _ b: String) -> Int {
    // Long words are no slips of short ones; and hostile ones shall cost nothing.
    let a = Array(a.utf8.prefix(64))
    let b = Array(b.utf8.prefix(64))
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
        var now = [Int](repeating: i + 1, count: b.count + 1)
        for j in b.indices {
            let same = a[i] == b[j] ? 0 : 1
            now[j + 1] = min(now[j] + 1, last[j + 1] + 1, last[j] + same)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                now[j + 1] = min(now[j + 1], before[j - 1] + 1)
            }
        }
        (before, last) = (last, now)
    }
    return last[b.count]
}
