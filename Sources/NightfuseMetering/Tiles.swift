internal import NightfuseCore

/// A fixed number of values, allocated once: one a tile, a row or a bin.
final class Tiles<Value: BitwiseCopyable> {
    let count: Int
    let base: MutableRow<Value>
    private let memory: Room<Value>

    init(_ count: Int, _ value: Value) {
        self.count = count
        memory = Room(count)
        base = memory.base
        base.update(repeating: value, count: count)
    }

    @inline(__always)
    subscript(i: Int) -> Value {
        get {
            assert(i >= 0 && i < count)
            return base[i]
        }
        set {
            assert(i >= 0 && i < count)
            base[i] = newValue
        }
    }

    func fill(_ value: Value) { base.update(repeating: value, count: count) }
}

extension Tiles where Value == Float {
    /// The middle one of the first `n` values (the lower of two); puts them into another order. 0 for none.
    func median(of n: Int) -> Float { select(n / 2 - (n % 2 == 0 && n > 0 ? 1 : 0), of: n) }

    /// The value that `k` of the first `n` lie below; puts them into another order. 0 for none.
    func select(_ k: Int, of n: Int) -> Float {
        guard n > 0 else { return 0 }
        var low = 0
        var high = n - 1
        let k = min(max(k, 0), n - 1)
        while low < high {
            let pivot = base[(low + high) / 2]
            var i = low
            var j = high
            while i <= j {
                while base[i] < pivot { i += 1 }
                while base[j] > pivot { j -= 1 }
                if i <= j {
                    (base[i], base[j]) = (base[j], base[i])
                    i += 1
                    j -= 1
                }
            }
            if k <= j {
                high = j
            } else if k >= i {
                low = i
            } else {
                return base[k]
            }
        }
        return base[k]
    }
}
